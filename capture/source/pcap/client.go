package pcap

import "bytes"

const maxServers = 1 << 16 // endpoints remembered as servers

// servers are the endpoints known to have accepted connections: they tell the sides of one whose handshake was missed.
type servers map[endpoint]struct{}

func (v servers) add(e endpoint) {
	if len(v) < maxServers {
		v[e] = struct{}{}
	}
}

// clientOf returns the index into s.flow of the side that is likelier the client, judging by s, the first segment with
// payload: what it begins with, then who is known as a server, then who has the higher port.
func (v servers) clientOf(s *segment) uint8 {
	switch {
	case looksLikeClient(s.payload):
		return s.from
	case looksLikeServer(s.payload):
		return s.from ^ 1
	}
	_, a := v[s.flow[0]]
	_, b := v[s.flow[1]]
	switch {
	case a != b && a, a == b && s.flow[0].port < s.flow[1].port:
		return 1
	case a != b && b, s.flow[0].port > s.flow[1].port:
		return 0
	}
	return s.from
}

// looksLikeClient tells whether p is what a client says first.
func looksLikeClient(p []byte) bool {
	if len(p) >= 6 && p[0] == 0x16 && p[1] == 3 {
		return p[5] == 1 // ClientHello
	}
	for _, m := range [...]string{"GET ", "POST ", "PUT ", "DELETE ", "HEAD ", "OPTIONS ", "PATCH ", "CONNECT ", "TRACE ", "PRI * HTTP/2"} {
		if bytes.HasPrefix(p, []byte(m)) {
			return true
		}
	}
	return false
}

// looksLikeServer tells whether p is what a server says first.
func looksLikeServer(p []byte) bool {
	if len(p) >= 6 && p[0] == 0x16 && p[1] == 3 {
		return p[5] == 2 // ServerHello
	}
	return bytes.HasPrefix(p, []byte("HTTP/1."))
}
