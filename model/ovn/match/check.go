package match

import "fmt"

// The checks of types that OVN's parser makes. They are skipped for fields Rung
// does not know.

// checkBits checks a subfield.
func (p *parser) checkBits(pos int, f Field) {
	if s := f.sym; s != nil && p.err == nil {
		switch {
		case s.width == 0:
			p.fail(pos, f.Name+" is a string and has no bits")
		case f.Bits.High >= s.width:
			p.fail(pos, fmt.Sprintf("%s has only %d bits", f.Name, s.width))
		case s.nominal && f.Bits.High-f.Bits.Low+1 != s.width:
			p.fail(pos, f.Name+" may only be tested as a whole")
		}
	}
}

// checkPred checks a field that stands alone.
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
	case n > 1 && !p.not:
		p.fail(pos, f.Name+" has several bits: write != 0")
	case s.nominal && s.body != nil && p.not:
		// "!" before a nominal field that is no predicate is "== 0", which is fine.
		p.fail(pos, f.Name+" may not be negated")
	}
}

// checkCmp checks field, operator and constants against each other.
func (p *parser) checkCmp(pos int, c *Cmp) {
	if p.err != nil {
		return
	}
	if what := c.Field.problem(c, p.not); what != "" {
		p.fail(pos, what)
	}
}

// problem is what is wrong with the comparison c of the field, inside an odd
// number of "!" if not is set; empty if nothing is.
func (f Field) problem(c *Cmp, not bool) string {
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
		if w := v.width(); !text && w > s.width {
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

// predicateProblem is what is wrong with comparing a predicate with 0 or 1.
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

// isText says whether the constant is of the string type: a name or a port
// group.
func isText(c Const) bool { return c.Kind == ConstString || c.Kind == ConstPortGroup }
