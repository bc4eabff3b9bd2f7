// Package tls reads the plaintext of a captured TLS connection with the secrets its peers logged.
//
// Words. A record is what the record layer frames: five bytes of header, then the payload. A sealed record is one
// whose payload is encrypted. A stage is the part of a TLS 1.3 connection that one traffic secret protects: early data,
// handshake, application. A hole is a run of bytes the capture missed. A secret is one line of a key log.
//
// Zero points and units. Offsets are ciphertext bytes of one direction, from the first byte that was written or
// reported missing. There is no clock: a plaintext byte becomes readable with the last byte of its record, whose
// offset every call carries.
//
// The authentication tag decides. Whatever is guessed, a sequence number after a hole, a record boundary, a stage,
// is taken only when the record's tag (or MAC) fits; nothing is handed out that was not authenticated.
//
// What it does not do: it verifies no certificate and no Finished message, negotiates nothing, writes nothing, and
// knows no private keys. SSL 3.0, TLS 1.3 drafts, DTLS, record compression, RC4, 3DES and Camellia are named, not read.
package tls
