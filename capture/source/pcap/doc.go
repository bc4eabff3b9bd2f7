// Package pcap reads capture files and pipes: packets become TCP connections, each told to a capture.Recorder as two
// contiguous, timed streams of bytes.
//
// Words it owns: an input is one file or pipe; a record is one packet as the file holds it, with its header; a copy is
// a packet the recorder saw twice (mirror port, several interfaces, before and after address translation), while a
// retransmission was sent twice; a hole is a run of bytes not there yet, a gap is a hole given up.
//
// Zero points and units: stream offsets count bytes of one direction from 0, the first byte after the SYN or, where that
// was not seen, the first byte of the first packet. Packets count from 1 in each input, as Wireshark counts. Offsets in
// errors and notes count bytes of the input after decompression.
//
// The package is the one door to gopacket: the headers of common link types, IP and TCP are read by hand, everything
// else (tunnels, rare link types, IP fragments) by gopacket.
//
// It deliberately does not capture live traffic (a pipe from tcpdump does), decode QUIC, look at what the bytes mean
// beyond the question who is the client, or repair a damaged file: it stops at the damage and says where.
package pcap
