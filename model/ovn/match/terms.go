package match

import (
	"slices"
	"strings"
)

// TermKind says which packet property a term restricts.
type TermKind string

// The kinds of term.
const (
	// TermPort restricts the logical port: PortGroups and Names.
	TermPort TermKind = "port"
	// TermAddresses restricts an address: AddressSets, Addresses, Except.
	TermAddresses TermKind = "addresses"
	// TermProtocol restricts the protocol: Protocols.
	TermProtocol TermKind = "protocol"
	// TermPorts restricts a TCP, UDP or SCTP port: Protocols (one) and Ports.
	TermPorts TermKind = "ports"
	// TermNamedPorts lists address and port of named ports: Protocols (one) and Items.
	TermNamedPorts TermKind = "named ports"
	// TermOther is everything else: only Text describes it; PortGroups and AddressSets are its references.
	TermOther TermKind = "other"
)

// Term is one operand of a match's top-level conjunction. Its alternatives are joined by or: a packet matches
// if any port group, set, address, protocol, port or item does, and no exception does.
type Term struct {
	Kind TermKind
	Text string // as written
	// Field is the tested field: "inport", "outport", "src" or "dst"; empty for protocols, for address terms
	// that test both ends, and for TermOther.
	Field       string
	PortGroups  []string
	Names       []string // logical ports named directly
	AddressSets []string
	Addresses   []string // addresses and CIDRs as written
	Except      []string // exceptions to Addresses
	Protocols   []string
	Ports       []PortTerm
	Items       []NamedItem
}

// Terms splits the top-level conjunction of an expression. Every term gets a kind in the matches of
// AdminNetworkPolicy (ovn-kubernetes.md#acl-match), NetworkPolicy (ovn-kubernetes.md#rule-rows) and
// EgressFirewall (ovn-kubernetes.md#firewall-match), except EgressFirewall ports of several protocols. Terms
// of other matches get a kind if they are written the same way.
func Terms(e Expr) []Term {
	if e == nil {
		return nil
	}
	and, ok := withoutParens(e).(*And)
	// In parentheses, addresses with exceptions form one term.
	if !ok || e != and && explainTerm(e).Kind != TermOther {
		return []Term{explainTerm(e)}
	}
	terms := make([]Term, len(and.Terms))
	for i, t := range and.Terms {
		terms[i] = explainTerm(t)
	}
	return terms
}

// withoutParens removes parentheses around an expression.
func withoutParens(e Expr) Expr {
	for {
		p, ok := e.(*Paren)
		if !ok {
			return e
		}
		e = p.X
	}
}

// explainTerm returns the term with the kind that fits all of it.
func explainTerm(e Expr) Term {
	for _, try := range []func(*Term, Expr) bool{
		(*Term).asPort, (*Term).asAddresses, (*Term).asProtocols, (*Term).asPorts, (*Term).asNamed} {
		t := Term{Text: e.String()}
		if try(&t, e) {
			return t
		}
	}
	t := Term{Kind: TermOther, Text: e.String()}
	for _, r := range Refs(e) {
		if r.Kind == RefPortGroup {
			t.PortGroups = append(t.PortGroups, r.Name)
		} else {
			t.AddressSets = append(t.AddressSets, r.Name)
		}
	}
	return t
}

// allAlternatives reports whether f accepts all alternatives of e: the operands of a disjunction, however
// deep, or e itself.
func allAlternatives(e Expr, f func(Expr) bool) bool {
	e = withoutParens(e)
	or, ok := e.(*Or)
	if !ok {
		return f(e)
	}
	return !slices.ContainsFunc(or.Terms, func(t Expr) bool { return !allAlternatives(t, f) })
}

// keepEqual reports whether all alternatives have the same value, kept in *have.
func keepEqual(have *string, v string) bool {
	if *have == "" {
		*have = v
	}
	return *have == v
}

func (t *Term) asPort(e Expr) bool {
	t.Kind = TermPort
	return allAlternatives(e, func(e Expr) bool {
		c, ok := e.(*Cmp)
		if !ok || c.Op != EQ || c.Field.Name != "inport" && c.Field.Name != "outport" || !keepEqual(&t.Field, c.Field.Name) {
			return false
		}
		for _, v := range c.Values {
			if v.Kind == ConstPortGroup {
				t.PortGroups = append(t.PortGroups, v.Name())
			} else {
				t.Names = append(t.Names, v.Name())
			}
		}
		return true
	})
}

// splitField splits a whole field of an end, such as "tcp.dst", whose first part is one of those given.
func splitField(f Field, firsts ...string) (first, side string, ok bool) {
	first, side, _ = strings.Cut(f.Name, ".")
	return first, side, slices.Contains(firsts, first) && (side == "src" || side == "dst") && f.Bits == nil
}

// asAddresses accepts comparisons with sets and addresses, and an address with its exceptions
// (ovn-kubernetes.md#ip-blocks, #firewall-match).
func (t *Term) asAddresses(e Expr) bool {
	t.Kind = TermAddresses
	return allAlternatives(e, func(e Expr) bool {
		if c, ok := e.(*Cmp); ok {
			return c.Op == EQ && t.addAddress(c)
		}
		and, ok := e.(*And)
		if !ok {
			return false
		}
		for i, x := range and.Terms {
			c, ok := withoutParens(x).(*Cmp)
			if !ok || c.Op != EQ && c.Op != NE || (c.Op == EQ) != (i == 0) || !t.addAddress(c) {
				return false
			}
		}
		return true
	})
}

func (t *Term) addAddress(c *Cmp) bool {
	_, side, ok := splitField(c.Field, "ip4", "ip6")
	if !ok || !keepEqual(&t.Field, side) {
		return false
	}
	for _, v := range c.Values {
		switch {
		case v.Kind == ConstAddressSet && c.Op == EQ:
			t.AddressSets = append(t.AddressSets, v.Name())
		case v.Kind == ConstIP4 || v.Kind == ConstIP6:
			if c.Op == EQ {
				t.Addresses = append(t.Addresses, v.Text)
			} else {
				t.Except = append(t.Except, v.Text)
			}
		default:
			return false
		}
	}
	return true
}

func (t *Term) asProtocols(e Expr) bool {
	t.Kind = TermProtocol
	return allAlternatives(e, func(e Expr) bool {
		p, ok := e.(*Pred)
		if !ok || p.Field.sym == nil || p.Field.sym.body == nil {
			return false
		}
		t.Protocols = append(t.Protocols, p.Field.Name)
		return true
	})
}

// asPorts accepts single ports, sets of ports and ranges, also after their protocol
// (ovn-kubernetes.md#firewall-match).
func (t *Term) asPorts(e Expr) bool {
	t.Kind = TermPorts
	proto := ""
	if and, ok := withoutParens(e).(*And); ok && len(and.Terms) == 2 {
		p, ok := and.Terms[0].(*Pred)
		if !ok {
			return false
		}
		proto, e = p.Field.Name, and.Terms[1]
	}
	ok := allAlternatives(e, func(e Expr) bool {
		switch e := e.(type) {
		case *Cmp:
			return e.Op == EQ && t.keepPortField(e.Field, &proto) && t.addPorts(e.Values)
		case *Range:
			lo, ok1 := portNumber(e.Lo)
			hi, ok2 := portNumber(e.Hi)
			t.Ports = append(t.Ports, PortTerm{lo, hi})
			return ok1 && ok2 && e.LoOp == LE && e.HiOp == LE && t.keepPortField(e.Field, &proto)
		}
		return false
	})
	t.Protocols = []string{proto}
	return ok
}

func (t *Term) keepPortField(f Field, proto *string) bool {
	p, side, ok := splitField(f, "tcp", "udp", "sctp")
	return ok && keepEqual(proto, p) && keepEqual(&t.Field, side)
}

func (t *Term) addPorts(values []Const) bool {
	for _, v := range values {
		n, ok := portNumber(v)
		if !ok {
			return false
		}
		t.Ports = append(t.Ports, PortTerm{n, n})
	}
	return true
}

func portNumber(c Const) (int32, bool) {
	n, ok := c.Number()
	return int32(n & 0xffff), ok && n <= 0xffff
}

// asNamed accepts "nm" of ovn-kubernetes.md#acl-match: pairs of one address and one port.
func (t *Term) asNamed(e Expr) bool {
	t.Kind = TermNamedPorts
	proto := ""
	ok := allAlternatives(e, func(e Expr) bool {
		and, ok := e.(*And)
		if !ok || len(and.Terms) != 2 {
			return false
		}
		a, ok1 := and.Terms[0].(*Cmp)
		p, ok2 := and.Terms[1].(*Cmp)
		if !ok1 || !ok2 || a.Op != EQ || p.Op != EQ || len(a.Values) != 1 || len(p.Values) != 1 {
			return false
		}
		_, side, isAddress := splitField(a.Field, "ip4", "ip6")
		n, isPort := portNumber(p.Values[0])
		t.Items = append(t.Items, NamedItem{a.Values[0].Text, n})
		_, isHost := a.Values[0].Prefix()
		return isAddress && isPort && isHost && !a.Values[0].masked && keepEqual(&t.Field, side) && t.keepPortField(p.Field, &proto)
	})
	t.Protocols = []string{proto}
	return ok
}
