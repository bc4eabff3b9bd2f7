package main

import (
	"bytes"
	"fmt"
	"io"
	"text/tabwriter"

	"mcptrace/analyze"
	"mcptrace/replay"
)

// writeReplayText writes what was played, one exchange after the other.
func writeReplayText(w io.Writer, plays []*play) error {
	var b bytes.Buffer
	if len(plays) == 0 {
		b.WriteString("No exchange to play. mcptrace analyze says what the input holds.\n")
	}
	for i, p := range plays {
		if i > 0 {
			b.WriteByte('\n')
		}
		replayHead(&b, p)
		replaySteps(&b, p)
		switch {
		case !p.c.IsCall():
			b.WriteString("\nIt carries no call, so no client waits for an answer.\n")
		case len(p.swept) > 0:
			sweepText(&b, p)
		case p.cut >= 0:
			replayOutcomes(&b, p, p.cuts)
		default:
			replayOutcomes(&b, p, p.recorded)
		}
		if p.model.differs != "" {
			fmt.Fprintf(&b, "\nAs recorded: %s\n", p.model.differs)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

func replayHead(b *bytes.Buffer, p *play) {
	fmt.Fprintf(b, "#%d %s\n", p.c.ID, oneLine(p.c.Name()))
	replayClient(b, p)
	if p.cut >= 0 {
		fmt.Fprintf(b, "  broken behind body byte %d of %d (%s)\n", p.cut, p.total, p.how)
	}
	b.WriteByte('\n')
}

// replayClient names the recorded client by what it says of itself.
func replayClient(b *bytes.Buffer, p *play) {
	if !p.c.IsCall() {
		return
	}
	who := "gives no name"
	if name, version := p.c.ClientInfo(); name != "" {
		who = fmt.Sprintf("%.80q %.40q", name, version)
	}
	if agent := p.c.UserAgent(); agent != "" {
		who += fmt.Sprintf(", User-Agent %.120q", agent)
	}
	fmt.Fprintf(b, "  recorded client: %s\n", who)
	switch m := &p.model; {
	case !m.known:
	case m.Sure():
		fmt.Fprintf(b, "  its model: %s\n", m.Policy.Name)
	default:
		fmt.Fprintf(b, "  its model: perhaps %s; %s sends this User-Agent too\n", m.Policy.Name, m.Sign.Shared)
	}
}

func replaySteps(b *bytes.Buffer, p *play) {
	t := aligned(b)
	fmt.Fprintf(t, "offset\ttime\twhat\n")
	for _, s := range p.steps {
		offset, at, mark := "", "", " "
		if s.Offset >= 0 {
			offset = fmt.Sprint(s.Offset)
		}
		if s.At >= 0 {
			at = analyze.Dur(s.At)
		}
		if s.Answer {
			mark = "*"
		}
		fmt.Fprintf(t, "%s\t%s\t%s %s\n", offset, at, mark, oneLine(s.What))
	}
	t.Flush()
}

func replayOutcomes(b *bytes.Buffer, p *play, outs []replay.Outcome) {
	b.WriteByte('\n')
	t := aligned(b)
	fmt.Fprintf(t, "policy\tverdict\treturned\theld\tnext\n")
	for _, o := range outs {
		returned, held := "", ""
		if o.Returned >= 0 {
			returned = analyze.Dur(o.Returned)
		}
		if o.Held > 0 {
			held = analyze.Dur(o.Held)
		}
		if o.Censored {
			held = "at least " + held
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", o.Policy+p.model.mark(o.Policy), verdict(o), returned, held, o.Next)
	}
	t.Flush()
	b.WriteByte('\n')
	for _, o := range outs {
		fmt.Fprintf(b, "%s: %s\n", o.Policy, o.Why)
	}
}

// verdict says in a cell what came of an exchange for a policy.
func verdict(o replay.Outcome) string {
	if o.Ran {
		return string(o.Verdict) + ", had run"
	}
	return string(o.Verdict)
}

// aligned returns a writer that puts tab-separated cells under each other.
func aligned(b *bytes.Buffer) *tabwriter.Writer { return tabwriter.NewWriter(b, 0, 8, 2, ' ', 0) }
