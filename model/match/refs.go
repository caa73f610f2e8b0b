package match

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
	eachCmp(e, func(c *Cmp) {
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
	})
	return refs
}

// eachLeaf calls f for every Bool, Pred, Cmp and Range in order.
func eachLeaf(e Expr, f func(Expr)) {
	switch e := e.(type) {
	case *And:
		for _, t := range e.Terms {
			eachLeaf(t, f)
		}
	case *Or:
		for _, t := range e.Terms {
			eachLeaf(t, f)
		}
	case *Not:
		eachLeaf(e.X, f)
	case *Paren:
		eachLeaf(e.X, f)
	case nil:
	default:
		f(e)
	}
}

func eachCmp(e Expr, f func(*Cmp)) {
	eachLeaf(e, func(l Expr) {
		if c, ok := l.(*Cmp); ok {
			f(c)
		}
	})
}

func eachField(e Expr, f func(Field)) {
	eachLeaf(e, func(l Expr) {
		switch l := l.(type) {
		case *Pred:
			f(l.Field)
		case *Cmp:
			f(l.Field)
		case *Range:
			f(l.Field)
		}
	})
}
