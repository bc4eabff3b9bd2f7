package replay

import "strings"

// Sign is what the requests of a policy's client look like. Every field that is not empty must match; a * at its end
// stands for anything.
type Sign struct {
	Client    string // name in clientInfo, which the application sets; some SDKs have one of their own
	Version   string // version in clientInfo
	UserAgent string // which the HTTP library sets, or the SDK
	Accept    string // in lower case
	Shared    string // who else sends this, so that it proves little; "": nobody is known to
	Source    string // where the product sets it
}

// Names is what a recorded client says of itself, as far as the capture shows it.
type Names struct {
	Client, Version, UserAgent, Accept string
}

// Recognition is a policy that models a recorded client, and what that client was told by.
type Recognition struct {
	Policy Policy
	Sign   Sign
}

// Sure reports whether the client gave a name of its own, and not only one that it shares with others.
func (r Recognition) Sure() bool { return r.Sign.Shared == "" }

// Recognise returns the policy that models a client with these names. There is none for a client that is not known, and
// none where the names are those of two products: then one passes on what the other sent.
func Recognise(n Names) (r Recognition, ok bool) {
	for _, p := range Policies() {
		for _, s := range p.Signs {
			if !s.matches(n) {
				continue
			}
			if ok {
				return Recognition{}, false
			}
			r, ok = Recognition{p, s}, true
			break // the surest sign of a policy stands first
		}
	}
	return r, ok
}

func (s Sign) matches(n Names) bool {
	return like(s.Client, n.Client) && like(s.Version, n.Version) && like(s.UserAgent, n.UserAgent) && like(s.Accept, strings.ToLower(n.Accept))
}

func like(pattern, text string) bool {
	if beginning, open := strings.CutSuffix(pattern, "*"); open {
		return strings.HasPrefix(text, beginning)
	}
	return pattern == "" || pattern == text
}

// String returns the names that a client is told by. It holds no text from the wire.
func (s Sign) String() string {
	var parts []string
	if s.Client != "" {
		parts = append(parts, strings.TrimSpace("clientInfo "+s.Client+" "+s.Version))
	}
	if s.UserAgent != "" {
		parts = append(parts, "User-Agent "+s.UserAgent)
	}
	if s.Accept != "" {
		parts = append(parts, "Accept "+s.Accept)
	}
	return strings.Join(parts, ", ")
}
