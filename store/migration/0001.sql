-- The tables of a recording.
--
-- Units, unless a column says otherwise: columns ending in _at and _ns count nanoseconds; moments count from the Unix
-- epoch, offsets from the start of their exchange. Bytes are counted from 0. Booleans are 0 and 1. Packed columns hold
-- varints (see docs/format.md). NULL always has a meaning, given with the column.

-- One row: where the recording comes from.
CREATE TABLE recording (
  id           INTEGER PRIMARY KEY CHECK (id = 1),
  tool         TEXT    NOT NULL,           -- version of the program that wrote it
  created_ns   INTEGER,                    -- since the epoch; NULL: not known
  source       TEXT    NOT NULL,           -- pcap, proxy, stdio
  keep_secrets INTEGER NOT NULL,           -- 0: secrets are replaced by placeholders of the same length
  state        TEXT    NOT NULL DEFAULT 'running' -- done: written to its end; running: under way, or cut off
) STRICT;

-- The files read, with what could not be read of them. Empty while a recording is running.
CREATE TABLE input (
  id                     INTEGER PRIMARY KEY, -- from 0, in the order given
  path                   TEXT    NOT NULL,
  kind                   TEXT    NOT NULL,    -- pcap, proxy, stdio, …
  packets                INTEGER NOT NULL,
  tcp_gaps               INTEGER NOT NULL,    -- holes in streams
  gap_bytes              INTEGER NOT NULL,    -- bytes in them
  retransmitted_segments INTEGER NOT NULL,
  snaplen_cut_packets    INTEGER NOT NULL,
  undecodable_packets    INTEGER NOT NULL,
  tls_opaque_connections INTEGER NOT NULL,    -- TLS without keys
  mid_start_connections  INTEGER NOT NULL,    -- handshake not seen
  one_sided_connections  INTEGER NOT NULL,    -- only one direction seen
  non_mcp_exchanges      INTEGER NOT NULL,    -- HTTP that was not recorded
  truncated_at           INTEGER,             -- bytes of the input that are whole; NULL: it is not truncated
  dropped_by_capture     INTEGER NOT NULL,    -- packets, as the capturing program told
  outside_resets         INTEGER NOT NULL,
  duplicate_packets      INTEGER NOT NULL,
  limit_cuts             INTEGER NOT NULL,    -- times a limit of the program cut something off
  http3_packets          INTEGER NOT NULL,
  first_at               INTEGER,             -- of the first packet, since the epoch; NULL: no packet
  last_at                INTEGER,
  notes                  TEXT    NOT NULL     -- JSON array of strings
) STRICT;

-- One TCP connection, or one run of a stdio server.
CREATE TABLE connection (
  id              INTEGER PRIMARY KEY, -- in the order in which they were written
  number          INTEGER NOT NULL,    -- in order of their first packets
  input           INTEGER NOT NULL,    -- input.id
  client          TEXT    NOT NULL,    -- address:port; '' for stdio
  server          TEXT    NOT NULL,
  open_at         INTEGER,             -- first packet, since the epoch; NULL: not known
  last_at         INTEGER,             -- last packet
  vantage         TEXT    NOT NULL,    -- who held the clock: network, proxy, stdio
  rtt_client_ns   INTEGER NOT NULL,    -- recorder to client and back; 0: not known
  rtt_server_ns   INTEGER NOT NULL,
  mid_start       INTEGER NOT NULL,    -- 1: the handshake was not seen
  one_sided       INTEGER NOT NULL,    -- 1: only one direction was seen
  gaps            INTEGER NOT NULL,    -- holes in its streams
  gap_bytes       INTEGER NOT NULL,
  retransmitted   INTEGER NOT NULL,    -- segments
  outside_resets  INTEGER NOT NULL,
  window_closes   INTEGER NOT NULL,    -- times a side announced a window of zero
  snaplen_cut     INTEGER NOT NULL,    -- packets
  copies_dropped  INTEGER NOT NULL,    -- packets of a second copy of the connection
  also_seen_as    TEXT    NOT NULL,    -- JSON array of strings
  client_data_ttl INTEGER NOT NULL,    -- TTL or hop limit; 0: not known
  server_data_ttl INTEGER NOT NULL,
  tls             TEXT                 -- JSON object; NULL: not TLS
) STRICT;

-- The FINs, RSTs and TLS alerts of a connection, in the order in which they passed.
CREATE TABLE closing (
  connection INTEGER NOT NULL REFERENCES connection (id),
  n          INTEGER NOT NULL, -- from 0
  side       TEXT    NOT NULL, -- client, server
  how        TEXT    NOT NULL, -- fin, rst, close-notify, fatal-alert
  at         INTEGER,          -- since the epoch; NULL: not known
  packet     INTEGER NOT NULL, -- counted from 1; 0: there are none
  offset     INTEGER NOT NULL, -- bytes that side had sent
  ttl        INTEGER NOT NULL, -- 0: not known
  alert      INTEGER NOT NULL, -- TLS alert description
  PRIMARY KEY (connection, n)
) STRICT, WITHOUT ROWID;

-- One HTTP request and the response to it. Moments in it count from start_at.
CREATE TABLE exchange (
  seq            INTEGER PRIMARY KEY, -- order of first request bytes, from 0, with holes
  connection     INTEGER NOT NULL REFERENCES connection (id),
  stream         INTEGER NOT NULL,    -- HTTP/2 stream; 0: none
  proto          TEXT    NOT NULL,    -- 1.0, 1.1, 2, stdio
  start_at       INTEGER,             -- first byte, since the epoch; NULL: not known
  interim        INTEGER NOT NULL,    -- number of 1xx responses
  method         TEXT,                -- of HTTP; NULL: the request was not captured, or is none of HTTP
  target         TEXT,                -- NULL: as method
  status         INTEGER,             -- NULL: no response head
  content_type   TEXT,                -- of the response; NULL: none
  rpc_method     TEXT,                -- of the (first) JSON-RPC request; NULL: none, or not looked for
  rpc_id         TEXT,                -- its id as JSON
  rpc_name       TEXT,                -- the tool, prompt or resource it names
  session        TEXT,                -- label of the session; NULL: not known
  end_kind       TEXT    NOT NULL,    -- clean, fin, rst, h2-rst, goaway, close-delimited, tls-alert, open, none
  end_by         TEXT,                -- client, server; NULL: nobody
  end_how        TEXT,                -- as closing.how; NULL: no closing
  end_ns         INTEGER,             -- since start_at; NULL: never
  end_packet     INTEGER NOT NULL,    -- counted from 1; 0: there are none
  end_code       INTEGER NOT NULL,    -- HTTP/2 error code or TLS alert
  unprocessed    INTEGER NOT NULL,    -- 1: HTTP/2 guarantees that the request was not processed
  client_reset   INTEGER,             -- RST_STREAM by the client, since the epoch; NULL: none
  response_bytes INTEGER NOT NULL     -- of the response body, transfer coding taken off
) STRICT;

CREATE INDEX exchange_start      ON exchange (start_at);
CREATE INDEX exchange_connection ON exchange (connection);
CREATE INDEX exchange_status     ON exchange (status);
CREATE INDEX exchange_rpc        ON exchange (rpc_method, rpc_name);
CREATE INDEX exchange_end        ON exchange (end_kind, end_by);
CREATE INDEX exchange_session    ON exchange (session);
CREATE INDEX connection_client   ON connection (client);
CREATE INDEX connection_server   ON connection (server);

-- The two messages of every exchange. Offsets count bytes of the message as it stood on the wire.
CREATE TABLE message (
  id         INTEGER PRIMARY KEY, -- 2 * exchange.seq for the request, 2 * exchange.seq + 1 for the response
  bytes      INTEGER NOT NULL,    -- length
  head_start INTEGER NOT NULL,    -- where the final head begins; 1xx responses stand before it
  head_end   INTEGER NOT NULL,    -- just past the head; 0: it is not complete
  body_bytes INTEGER NOT NULL,    -- transfer coding taken off
  complete   INTEGER NOT NULL,    -- 1: the framing was complete
  cut        INTEGER NOT NULL,    -- 1: a limit of the program cut bytes off
  first_ns   INTEGER,             -- when the first byte was readable, since exchange.start_at; NULL: no byte
  last_ns    INTEGER,             -- … the last
  chunks     INTEGER NOT NULL,    -- number of chunks in chunk_index
  head       BLOB,                -- the head, packed, where the bytes do not give it exactly; NULL: they do, or there is none
  has_head   INTEGER NOT NULL,    -- 1: there is a complete head
  body       BLOB,                -- packed spans of body bytes; NULL: none
  holes      BLOB,                -- packed spans that were not captured and are zero; NULL: none
  acks       BLOB,                -- packed acknowledgements by the other side; NULL: none
  chunk_index BLOB,               -- packed: when which bytes were seen and readable; NULL: no byte
  crc        INTEGER NOT NULL     -- CRC-32C of the bytes, then of head, body, holes, acks, chunk_index
) STRICT;

-- The bytes of the messages, in blocks of 65536; the last of each message is shorter.
CREATE TABLE block (
  id      INTEGER PRIMARY KEY,
  message INTEGER NOT NULL REFERENCES message (id),
  n       INTEGER NOT NULL, -- from 0
  data    BLOB    NOT NULL,
  UNIQUE (message, n)
) STRICT;

-- Attempts to connect that carried nothing.
CREATE TABLE connect_failure (
  id       INTEGER PRIMARY KEY,
  client   TEXT NOT NULL, -- address:port
  server   TEXT NOT NULL,
  start_at INTEGER,       -- since the epoch; NULL: not known
  kind     TEXT NOT NULL, -- refused, timeout, reset, tls-handshake
  side     TEXT           -- who ended it: client, server; NULL: nobody
) STRICT;

-- The exchanges as a person asks for them. id is the number that --exchange takes.
CREATE VIEW exchange_list AS
SELECT row_number() OVER (ORDER BY e.seq) AS id,
       strftime('%Y-%m-%dT%H:%M:%S', e.start_at / 1000000000, 'unixepoch') || printf('.%09dZ', e.start_at % 1000000000) AS start,
       c.client, c.server, e.method, e.target, e.status, e.rpc_method, e.rpc_name AS tool, e.session,
       e.end_kind || coalesce(' by ' || e.end_by, '') AS "end",
       e.end_ns / 1e6 AS end_ms, e.response_bytes, e.seq
FROM exchange e JOIN connection c ON c.id = e.connection;

-- When the bytes of each message were readable, in milliseconds since the start of its exchange, and in how many chunks.
CREATE VIEW chunk_times AS
SELECT id / 2 AS seq, iif(id % 2, 'response', 'request') AS message,
       bytes, chunks, first_ns / 1e6 AS first_ms, last_ns / 1e6 AS last_ms
FROM message;
