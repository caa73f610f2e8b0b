package match

import (
	"fmt"
	"iter"
)

// RefKind is the kind of a Ref.
type RefKind string

// The kinds of reference.
const (
	RefPortGroup  RefKind = "port group"
	RefAddressSet RefKind = "address set"
)

// Ref is a port group or address set in an expression.
type Ref struct {
	Kind RefKind
	Name string
}

// Refs returns the distinct references of the expression in order of appearance. A missing one makes the
// expression match nothing.
func Refs(e Expr) []Ref {
	var refs []Ref
	seen := make(map[Ref]bool)
	hasLeafWhere(e, func(l Expr) bool {
		c, ok := l.(*Cmp)
		if !ok {
			return false
		}
		for _, v := range c.Values {
			if r, ok := refOf(v); ok && !seen[r] {
				seen[r] = true
				refs = append(refs, r)
			}
		}
		return false
	})
	return refs
}

// refOf returns the reference of a constant, if it is one.
func refOf(c Const) (r Ref, ok bool) {
	switch c.Kind {
	case ConstPortGroup:
		return Ref{RefPortGroup, c.Name()}, true
	case ConstAddressSet:
		return Ref{RefAddressSet, c.Name()}, true
	}
	return r, false
}

// RefsIn yields the references in a text, token by token, even if the text is no valid expression.
func RefsIn(text string) iter.Seq[Ref] {
	return func(yield func(Ref) bool) {
		for t := nextToken(text, 0); t.kind != tokEnd; t = nextToken(text, max(t.end, t.pos+1)) {
			if r, ok := refOf(t.c); ok && t.kind == tokConst && !yield(r) {
				return
			}
		}
	}
}

// hasLeafWhere reports whether f holds for some Bool, Pred, Cmp or Range. It calls f in order until one does.
func hasLeafWhere(e Expr, f func(Expr) bool) bool {
	var terms []Expr
	switch e := e.(type) {
	case nil:
		return false
	case *And:
		terms = e.Terms
	case *Or:
		terms = e.Terms
	case *Not:
		return hasLeafWhere(e.X, f)
	case *Paren:
		return hasLeafWhere(e.X, f)
	default:
		return f(e)
	}
	for _, t := range terms {
		if hasLeafWhere(t, f) {
			return true
		}
	}
	return false
}

// boundSet caches the lookup of an address set.
type boundSet struct {
	set *AddrSet
	ok  bool
}

// BindSets returns a copy of e with its address sets looked up. Eval with the same Env gives the same results
// without looking them up for every packet.
func BindSets(e Expr, env Env) Expr {
	if env == nil {
		env = emptyEnv{}
	}
	all := func(terms []Expr) []Expr {
		out := make([]Expr, len(terms))
		for i, t := range terms {
			out[i] = BindSets(t, env)
		}
		return out
	}
	switch e := e.(type) {
	case *And:
		b := *e
		b.Terms = all(e.Terms)
		return &b
	case *Or:
		b := *e
		b.Terms = all(e.Terms)
		return &b
	case *Not:
		b := *e
		b.X = BindSets(e.X, env)
		return &b
	case *Paren:
		return BindSets(e.X, env)
	case *Cmp:
		b := *e
		b.Values = make([]Const, len(e.Values))
		for i, c := range e.Values {
			if c.Kind == ConstAddressSet {
				set, ok := env.AddressSet(c.Name())
				c.bound = &boundSet{set, ok}
			}
			b.Values[i] = c
		}
		return &b
	}
	return e
}

// resolveAddressSet returns the address set of a constant.
func (v evaluator) resolveAddressSet(c *Const) (*AddrSet, bool) {
	if c.bound != nil {
		return c.bound.set, c.bound.ok
	}
	return v.env.AddressSet(c.Name())
}

// Type checks of OVN's parser. Fields that Rung does not know are not checked.

// checkBits checks a subfield.
func (p *parser) checkBits(pos int, f Field) {
	if s := f.sym; s != nil && p.err == nil {
		switch {
		case s.width == 0:
			p.failAt(pos, f.Name+" is a string and has no bits")
		case f.Bits.High >= s.width:
			p.failAt(pos, fmt.Sprintf("%s has only %d bits", f.Name, s.width))
		case s.nominal && f.Bits.High-f.Bits.Low+1 != s.width:
			p.failAt(pos, f.Name+" may only be tested as a whole")
		}
	}
}

// checkPred checks a bare field.
func (p *parser) checkPred(pos int, f Field) {
	s := f.sym
	if s == nil {
		return
	}
	n := s.width
	if f.Bits != nil {
		n = f.Bits.High - f.Bits.Low + 1
	}
	switch {
	case n == 0:
		p.expect("a relational operator")
	case n > 1 && !p.isNegated:
		p.failAt(pos, f.Name+" has several bits: write != 0")
	case s.nominal && s.body != nil && p.isNegated:
		// "!" before a nominal field, not a predicate, means "== 0": valid.
		p.failAt(pos, f.Name+" may not be negated")
	}
}

// checkCmp checks field, operator and constants against each other.
func (p *parser) checkCmp(pos int, c *Cmp) {
	if p.err != nil {
		return
	}
	if what := c.Field.comparisonProblem(c, p.isNegated); what != "" {
		p.failAt(pos, what)
	}
}

// comparisonProblem returns why comparison c is invalid, inside an odd number of "!" if not is set; empty if
// it is valid.
func (f Field) comparisonProblem(c *Cmp, not bool) string {
	text := isText(c.Values[0])
	for _, v := range c.Values {
		if isText(v) != text {
			return "a set holds either names or numbers"
		}
	}
	order := c.Op != EQ && c.Op != NE
	if order && (c.Braced || text || c.Values[0].Kind == ConstAddressSet || c.Values[0].masked) {
		return "only == and != may be used with sets, names and masks"
	}
	s := f.sym
	if s == nil {
		return ""
	}
	if text != (s.width == 0) {
		if text {
			return f.Name + " is compared with numbers"
		}
		return f.Name + " is compared with port groups and names"
	}
	for _, v := range c.Values {
		if w := v.minWidth(); !text && w > s.width {
			return fmt.Sprintf("%s of %d bits does not fit %s of %d bits", v.Text, w, f.Name, s.width)
		}
	}
	allowed := EQ
	if not {
		allowed = NE
	}
	if s.nominal && s.body == nil && c.Op != allowed {
		return f.Name + " may only be tested for equality"
	}
	if s.body != nil {
		return f.predicateProblem(c, order, not)
	}
	return ""
}

// predicateProblem returns why a predicate may not be compared as in c; empty if it may.
func (f Field) predicateProblem(c *Cmp, order, not bool) string {
	if order {
		return f.Name + " may only be tested for equality"
	}
	if !f.sym.nominal {
		return ""
	}
	for _, v := range c.Values {
		positive := v.value.lo&1 == 1
		if (positive != (c.Op == NE)) == not {
			return f.Name + " may not be negated"
		}
	}
	return ""
}

// isText reports whether the constant is a name or a port group.
func isText(c Const) bool { return c.Kind == ConstString || c.Kind == ConstPortGroup }
