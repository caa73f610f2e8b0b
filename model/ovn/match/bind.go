package match

// boundSet is an address set that was looked up once.
type boundSet struct {
	set AddrSet
	ok  bool
}

// Bind is the expression with its address sets looked up: Eval with the same Env says of it
// what it says of e, and need not look for them at every packet. e stays as it is.
func Bind(e Expr, env Env) Expr {
	if env == nil {
		env = noEnv{}
	}
	all := func(terms []Expr) []Expr {
		out := make([]Expr, len(terms))
		for i, t := range terms {
			out[i] = Bind(t, env)
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
		b.X = Bind(e.X, env)
		return &b
	case *Paren:
		return Bind(e.X, env)
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

// set is the address set that a constant names.
func (v evaluator) set(c *Const) (AddrSet, bool) {
	if c.bound != nil {
		return c.bound.set, c.bound.ok
	}
	return v.env.AddressSet(c.Name())
}
