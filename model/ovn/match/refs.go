package match

import "iter"

// RefKind says what a Ref names.
type RefKind string

// The kinds of reference.
const (
	RefPortGroup  RefKind = "port group"
	RefAddressSet RefKind = "address set"
)

// Ref is a port group or address set an expression names.
type Ref struct {
	Kind RefKind
	Name string
}

// Refs lists what the expression refers to, each once, in order of appearance.
// A reference that does not exist makes the expression match nothing.
func Refs(e Expr) []Ref {
	var refs []Ref
	seen := make(map[Ref]bool)
	anyLeaf(e, func(l Expr) bool {
		c, ok := l.(*Cmp)
		if !ok {
			return false
		}
		for _, v := range c.Values {
			r := Ref{RefPortGroup, v.Name()}
			switch v.Kind {
			case ConstPortGroup:
			case ConstAddressSet:
				r.Kind = RefAddressSet
			default:
				continue
			}
			if !seen[r] {
				seen[r] = true
				refs = append(refs, r)
			}
		}
		return false
	})
	return refs
}

// RefsIn lists what a text refers to, token by token, also where it is no expression as a whole.
func RefsIn(text string) iter.Seq[Ref] {
	return func(yield func(Ref) bool) {
		for t := lex(text, 0); t.kind != tokEnd; t = lex(text, max(t.end, t.pos+1)) {
			switch {
			case t.kind != tokConst:
			case t.c.Kind == ConstPortGroup && !yield(Ref{RefPortGroup, t.c.Name()}),
				t.c.Kind == ConstAddressSet && !yield(Ref{RefAddressSet, t.c.Name()}):
				return
			}
		}
	}
}

// anyLeaf says whether f is true of some Bool, Pred, Cmp or Range; it asks in order
// until one is.
func anyLeaf(e Expr, f func(Expr) bool) bool {
	var terms []Expr
	switch e := e.(type) {
	case nil:
		return false
	case *And:
		terms = e.Terms
	case *Or:
		terms = e.Terms
	case *Not:
		return anyLeaf(e.X, f)
	case *Paren:
		return anyLeaf(e.X, f)
	default:
		return f(e)
	}
	for _, t := range terms {
		if anyLeaf(t, f) {
			return true
		}
	}
	return false
}
