package walk

import (
	"slices"
	"sync"

	"rung/model/ovn/match"
)

// Matches are parsed matches of ACLs, each once; several zones may share them. The zero
// value is ready, and safe for concurrent use.
type Matches struct {
	mu     sync.Mutex
	parsed map[string]*parsed
}

// parsed is a match taken apart once.
type parsed struct {
	expr match.Expr // nil: OVN would not understand it either
	// in or out is a port group without whose port, as inport or outport, the match cannot
	// hold; most rows are passed over by that alone. rest is what has to hold besides.
	in, out string
	rest    match.Expr
}

func (m *Matches) parse(text string) *parsed {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.parsed[text]
	if !ok {
		p = &parsed{}
		if e, err := match.Parse(text); err == nil {
			p.expr = e
			p.in, p.out, p.rest = neededGroup(e)
		}
		if m.parsed == nil {
			m.parsed = map[string]*parsed{}
		}
		m.parsed[text] = p
	}
	return p
}

// Keep forgets the matches that hold nothing for a long time: with more than twice as
// many as there are rows, all.
func (m *Matches) Keep(rows int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.parsed) > 2*rows+1000 {
		clear(m.parsed)
	}
}

// neededGroup finds "inport == @group" or else "outport == @group" among the terms that all
// have to hold, and what the others are.
func neededGroup(e match.Expr) (in, out string, rest match.Expr) {
	and, ok := e.(*match.And)
	if !ok {
		return "", "", e
	}
	at := -1
	for i, t := range and.Terms {
		c, ok := t.(*match.Cmp)
		if !ok || c.Op != match.EQ || len(c.Values) != 1 || c.Values[0].Kind != match.ConstPortGroup {
			continue
		}
		switch {
		case c.Field.Name == "inport":
			at, in, out = i, c.Values[0].Name(), ""
		case c.Field.Name == "outport" && in == "":
			at, out = i, c.Values[0].Name()
		}
	}
	if at < 0 {
		return "", "", e
	}
	return in, out, &match.And{Terms: slices.Concat(and.Terms[:at], and.Terms[at+1:])}
}
