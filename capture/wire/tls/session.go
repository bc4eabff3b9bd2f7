package tls

import "crypto/sha256"

// maxSessions is the number of sessions remembered before the older half is forgotten.
const maxSessions = 1 << 15

// sessionName is a hash of a session id or a ticket.
type sessionName [sha256.Size]byte

func sessionByID(id []byte) sessionName { return sha256.Sum256(append([]byte("id "), id...)) }
func sessionByTicket(ticket []byte) sessionName {
	return sha256.Sum256(append([]byte("ticket "), ticket...))
}

// sessionMemory says which full handshake, named by its client random, a session came from. It keeps randoms, not
// master secrets, so that a secret may be learnt after its session.
type sessionMemory struct {
	recent, older map[sessionName][32]byte
}

func (m *sessionMemory) set(name sessionName, random [32]byte) {
	if m.recent == nil || len(m.recent) >= maxSessions {
		m.older, m.recent = m.recent, map[sessionName][32]byte{}
	}
	m.recent[name] = random
}

func (m *sessionMemory) get(name sessionName) ([32]byte, bool) {
	if r, ok := m.recent[name]; ok {
		return r, true
	}
	r, ok := m.older[name]
	return r, ok
}

// remember notes that the session of that name was agreed on in the handshake with that client random.
func (k *KeyLog) remember(name sessionName, random [32]byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.sessions.set(name, random)
}

// origin returns the client random of the handshake the session of that name came from.
func (k *KeyLog) origin(name sessionName) ([32]byte, bool) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.sessions.get(name)
}
