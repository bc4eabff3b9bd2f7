package http2

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/http2/hpack"
)

// blockWriter encodes header blocks as one peer does, one after the other.
type blockWriter struct {
	buf bytes.Buffer
	*hpack.Encoder
}

func newBlockWriter() *blockWriter {
	w := &blockWriter{}
	w.Encoder = hpack.NewEncoder(&w.buf)
	return w
}

// block encodes a header block of names and values in turn.
func (w *blockWriter) block(fields ...string) string {
	w.buf.Reset()
	for i := 0; i < len(fields); i += 2 {
		w.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	return w.buf.String()
}

func unhex(t testing.TB, s string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The examples of RFC 7541 appendix C: three blocks each, one after the other on one connection.
func TestDecoderRFC7541(t *testing.T) {
	requests := []string{
		":method=GET;:scheme=http;:path=/;:authority=www.example.com;",
		":method=GET;:scheme=http;:path=/;:authority=www.example.com;cache-control=no-cache;",
		":method=GET;:scheme=https;:path=/index.html;:authority=www.example.com;custom-key=custom-value;",
	}
	responses := []string{
		":status=302;cache-control=private;date=Mon, 21 Oct 2013 20:13:21 GMT;location=https://www.example.com;",
		":status=307;cache-control=private;date=Mon, 21 Oct 2013 20:13:21 GMT;location=https://www.example.com;",
		":status=200;cache-control=private;date=Mon, 21 Oct 2013 20:13:22 GMT;location=https://www.example.com;content-encoding=gzip;" +
			"set-cookie=foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1;",
	}
	tests := []struct {
		name   string
		table  uint64
		blocks []string
		want   []string
	}{
		{"C.3", 4096, []string{
			"8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
			"8286 84be 5808 6e6f 2d63 6163 6865",
			"8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65"}, requests},
		{"C.4", 4096, []string{
			"8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
			"8286 84be 5886 a8eb 1064 9cbf",
			"8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf"}, requests},
		{"C.5", 256, []string{
			"4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
			"4803 3330 37c1 c0bf",
			"88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31"}, responses},
		{"C.6", 256, []string{
			"4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3",
			"4883 640e ffc1 c0bf",
			"88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07"}, responses},
	}
	for _, tt := range tests {
		d := newDecoder()
		d.max = tt.table
		for i, block := range tt.blocks {
			fields, complete := d.decode(unhex(t, block))
			if got := show(fields); got != tt.want[i] || !complete {
				t.Errorf("%s block %d: complete %v\ngot  %s\nwant %s", tt.name, i, complete, got, tt.want[i])
			}
		}
	}
}

// A decoder that comes late learns what the encoder says from then on.
func TestDecoderLate(t *testing.T) {
	w := newBlockWriter()
	w.block("mcp-session-id", "s-1", "accept", "text/event-stream")

	var d decoder
	d.forget()
	for i, step := range []struct {
		fields   []string
		want     string
		complete bool
	}{
		{[]string{":method", "POST", "mcp-session-id", "s-1"}, ":method=POST;", false},
		{[]string{":method", "POST", ":path", "/mcp"}, ":method=POST;:path=/mcp;", true},
		{[]string{":path", "/mcp", "accept", "text/event-stream"}, ":path=/mcp;", false},
		{[]string{"mcp-session-id", "s-2"}, "", false}, // its name is that of an old entry
		{[]string{":path", "/mcp", "x", "y"}, ":path=/mcp;x=y;", true},
		{[]string{"mcp-session-id", "s-2", "x", "y"}, "x=y;", false},
	} {
		fields, complete := d.decode([]byte(w.block(step.fields...)))
		if got := show(fields); got != step.want || complete != step.complete {
			t.Errorf("block %d: got %q complete %v, want %q %v", i, got, complete, step.want, step.complete)
		}
	}
}

func TestDecoderTableSize(t *testing.T) {
	w := newBlockWriter()
	w.SetMaxDynamicTableSizeLimit(1 << 16)
	w.SetMaxDynamicTableSize(1 << 16)
	var names []string
	for i := range 500 {
		names = append(names, "name-"+strings.Repeat("n", i%7)+string(rune('a'+i%26)), strings.Repeat("v", i))
	}
	d := newDecoder()
	for _, size := range []uint32{1 << 16, 1 << 10, 0, 1 << 12, 1 << 16} {
		w.SetMaxDynamicTableSize(size)
		for range 3 {
			fields, complete := d.decode([]byte(w.block(names...)))
			if !complete || len(fields) != len(names)/2 {
				t.Fatalf("size %d: %d fields, complete %v", size, len(fields), complete)
			}
			for i, f := range fields {
				if f != (Field{names[2*i], names[2*i+1]}) {
					t.Fatalf("size %d: field %d is %v", size, i, f)
				}
			}
		}
	}
}

// An entry that may or may not have been added makes all entries uncertain.
func TestDecoderLateLargeEntry(t *testing.T) {
	w := newBlockWriter() // table of 4096 bytes
	var d decoder
	d.forget()
	d.decode([]byte(w.block("a", "1")))
	large := "\x40\x01c\x7f\x81\x26" + strings.Repeat("x", 0x7f+0x81&0x7f+0x26<<7)
	if _, complete := d.decode([]byte(large)); !complete {
		t.Error("large literal not decoded")
	}
	if fields, complete := d.decode([]byte{0xbe}); complete || len(fields) != 0 {
		t.Errorf("entry 62 is said to be %v", fields)
	}
}

func TestDecoderBroken(t *testing.T) {
	tests := []struct {
		name, block, want string
		after             string // a reference to entry 62, which was a=1
	}{
		{"index 0", "\x80\x88", ":status=200;", "a=1;"},
		{"index past the table", "\xff\x00\x88", ":status=200;", "a=1;"},
		{"name past the table", "\x7f\x00\x01v\x88", ":status=200;", ""}, // now 62 is unknown
		{"wrong Huffman code", "\x48\x81\x00\x88", ":status=200;", ""},
		{"ends in a string", "\x88\x40\x05ab", ":status=200;", ""},
		{"ends before a value", "\x88\x40\x01a", ":status=200;", ""},
		{"ends in an integer", "\x88\xff\x80", ":status=200;", ""},
		{"integer too large", "\x88\xff" + strings.Repeat("\xff", 20), ":status=200;", ""},
		{"string length too large", "\x88\x40\x7f\xff\xff\xff\xff\xff\xff\xff\xff\x7f", ":status=200;", ""},
	}
	for _, tt := range tests {
		d := newDecoder()
		d.decode([]byte("\x40\x01a\x011"))
		fields, complete := d.decode([]byte(tt.block))
		if got := show(fields); got != tt.want || complete {
			t.Errorf("%s: got %q complete %v, want %q", tt.name, got, complete, tt.want)
		}
		fields, complete = d.decode([]byte{0xbe})
		if got := show(fields); got != tt.after || complete != (tt.after != "") {
			t.Errorf("%s: then got %q complete %v, want %q", tt.name, got, complete, tt.after)
		}
	}
}

func TestDecoderLimits(t *testing.T) {
	d := newDecoder()
	d.decode([]byte("\x40\x01a\x7f\xa1\x1e" + strings.Repeat("x", 4000)))
	fields, complete := d.decode(bytes.Repeat([]byte{0xbe}, 1<<20))
	if complete || len(fields) != maxList/(4000+1+entryOverhead) {
		t.Errorf("%d fields, complete %v", len(fields), complete)
	}
	// A table of a gigabyte is not kept.
	d.decode([]byte("\x3f\xe1\xff\xff\xff\x03"))
	for range 20 {
		d.decode(bytes.Repeat([]byte("\x40\x00\x00"), 1<<16))
	}
	if d.size > maxTable || len(d.table) > maxTable/entryOverhead || cap(d.table) > 4*maxTable/entryOverhead {
		t.Errorf("table: %d bytes, %d entries, room for %d", d.size, len(d.table), cap(d.table))
	}
}

// FuzzHPACK compares with hpack.Decoder: what it decodes is decoded alike, what it refuses is not called complete.
// Input: header blocks, each after a byte with its length.
func FuzzHPACK(f *testing.F) {
	w := newBlockWriter()
	var seed []byte
	for range 2 {
		for _, b := range []string{
			w.block(":method", "POST", ":path", "/mcp", "mcp-session-id", "1868a90c"),
			w.block(":status", "200", "content-type", "text/event-stream"),
		} {
			seed = append(append(seed, byte(len(b))), b...)
		}
	}
	f.Add(seed)
	f.Add([]byte("\x06\x20\x40\x01a\x011\x02\xbe\xbf\x04\x48\x81\x00\x88"))
	f.Fuzz(func(t *testing.T, data []byte) {
		ours := newDecoder()
		theirs := hpack.NewDecoder(defaultTable, nil)
		theirs.SetAllowedMaxDynamicTableSize(maxTable)
		for len(data) > 0 {
			n := min(int(data[0]), len(data)-1)
			block := data[1 : 1+n]
			data = data[1+n:]
			fields, complete := ours.decode(block)
			want, err := theirs.DecodeFull(block)
			if err != nil {
				// A size update between fields and one too large are borne.
				if complete && !strings.Contains(err.Error(), "table size update") {
					t.Fatalf("%x: complete, where hpack.Decoder says %v", block, err)
				}
				return
			}
			if !complete || !slices.EqualFunc(fields, want, func(f Field, h hpack.HeaderField) bool { return f == Field{h.Name, h.Value} }) {
				t.Fatalf("%x:\ngot  %v %v\nwant %v", block, fields, complete, want)
			}
		}
	})
}
