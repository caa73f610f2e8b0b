package match

import (
	"errors"
)

// Env has the port groups and address sets that expressions refer to. Eval only reads it, possibly
// concurrently.
type Env interface {
	// PortGroupHas reports whether the logical port is in the port group; a missing port group has no ports.
	PortGroupHas(name, lport string) bool
	// AddressSet returns the address set with that name; ok is false if it does not exist.
	AddressSet(name string) (s *AddrSet, ok bool)
}

// ErrCannotJudge is the error for expressions that Eval cannot decide.
var ErrCannotJudge = errors.New("cannot be judged")

// JudgeError is why Eval cannot decide. It is an ErrCannotJudge.
type JudgeError struct {
	Field string
	// Unknown is true if Rung does not know the field; otherwise the packet does not have its value.
	Unknown bool
}

func (e *JudgeError) Error() string {
	if e.Unknown {
		return "cannot be judged: unknown field " + e.Field
	}
	return "cannot be judged: the packet does not say " + e.Field
}

// Is reports whether target is ErrCannotJudge: every JudgeError is one.
func (e *JudgeError) Is(target error) bool { return target == ErrCannotJudge }

// Eval reports whether the packet matches. The error is a *JudgeError if the result depends on a field that
// cannot be judged. Like ovn-controller, Eval treats an expression with a missing address set as matching
// nothing, as a whole.
func Eval(e Expr, p Packet, env Env) (bool, error) {
	if env == nil {
		env = emptyEnv{}
	}
	v := evaluator{env}
	ok, err := v.evalExpr(&p, e, false)
	if (ok || err != nil) && v.namesMissingSet(e) {
		return false, nil
	}
	return ok, err
}

// emptyEnv has nothing.
type emptyEnv struct{}

func (emptyEnv) PortGroupHas(string, string) bool { return false }

func (emptyEnv) AddressSet(string) (*AddrSet, bool) { return nil, false }

// evaluator does not contain the packet, so the packet can stay off the heap.
type evaluator struct{ env Env }

// evalExpr evaluates e, or its negation if not is set. OVN pushes "!" down to the comparisons before it adds
// the prerequisites of their fields, hence the flag: !(ip4.src == X) holds for IPv4 packets only.
func (v evaluator) evalExpr(p *Packet, e Expr, not bool) (bool, error) {
	switch e := e.(type) {
	case *And:
		return v.joinTerms(p, e.Terms, not, not)
	case *Or:
		return v.joinTerms(p, e.Terms, not, !not)
	case *Not:
		return v.evalExpr(p, e.X, !not)
	case *Paren:
		return v.evalExpr(p, e.X, not)
	case *Bool:
		return e.Value != not, nil
	case *Pred:
		return v.evalField(p, e.Field, not)
	case *Cmp:
		return v.evalCmp(p, e, not)
	case *Range:
		return v.isInRange(p, e, not)
	}
	return false, ErrCannotJudge
}

// joinTerms evaluates terms until one returns stop. A term that cannot be judged counts only if none does.
func (v evaluator) joinTerms(p *Packet, terms []Expr, not, stop bool) (bool, error) {
	var first error
	for _, t := range terms {
		ok, err := v.evalExpr(p, t, not)
		switch {
		case err != nil && first == nil:
			first = err
		case err == nil && ok == stop:
			return stop, nil
		}
	}
	if first != nil {
		return false, first
	}
	return !stop, nil
}

// evalField evaluates a bare field.
func (v evaluator) evalField(p *Packet, f Field, not bool) (bool, error) {
	if f.sym != nil && f.sym.body != nil {
		ok, err := v.evalExpr(p, f.sym.body, false)
		return err == nil && ok != not, err
	}
	implied, unsure := v.evalPrereqs(p, f)
	if !implied && unsure == nil {
		return false, nil
	}
	n, bits, err := v.fieldNumber(p, f)
	return joinPrereqs((n.and(lowBits(bits)) != u128{}) != not, err, unsure)
}

// evalPrereqs evaluates the prerequisites of a field.
func (v evaluator) evalPrereqs(p *Packet, f Field) (bool, error) {
	if f.sym == nil || f.sym.prereq == nil {
		return true, nil
	}
	return v.evalExpr(p, f.sym.prereq, false)
}

// joinPrereqs joins the result of a test with prerequisites that hold unless unsure is set.
func joinPrereqs(ok bool, err, unsure error) (bool, error) {
	switch {
	case err == nil && !ok:
		return false, nil
	case unsure != nil:
		return false, unsure
	}
	return ok && err == nil, err
}

// fieldNumber returns the field's value in the packet and its width.
func (v evaluator) fieldNumber(p *Packet, f Field) (n u128, width int, err error) {
	if f.sym == nil {
		return n, 0, f.missingValueError()
	}
	n, ok := p.numberOfField(f.sym.source, f.sym.width)
	if !ok {
		return n, 0, f.missingValueError()
	}
	n = n.shr(f.sym.low)
	if b := f.Bits; b != nil {
		return n.shr(b.Low), b.High - b.Low + 1, nil
	}
	return n, f.sym.width, nil
}

func (v evaluator) evalCmp(p *Packet, e *Cmp, not bool) (bool, error) {
	op := e.Op
	if not {
		op = op.inverted()
	}
	switch {
	case v.hasOnlyEmptySets(e):
		// Nothing to compare with, only empty sets: OVN drops the field's prerequisites too.
		return op == NE, nil
	case e.Field.sym != nil && e.Field.sym.body != nil:
		return v.cmpPredicate(p, e, op)
	}
	implied, unsure := v.evalPrereqs(p, e.Field)
	if !implied && unsure == nil {
		return false, nil
	}
	ok, err := v.cmpValue(p, e, op)
	return joinPrereqs(ok, err, unsure)
}

// cmpValue compares the field's value, without prerequisites.
func (v evaluator) cmpValue(p *Packet, e *Cmp, op Op) (bool, error) {
	switch {
	case e.Field.sym != nil && e.Field.sym.width == 0:
		return v.cmpText(p, e, op), nil
	case op == EQ || op == NE:
		in, err := v.equalsAny(p, e)
		return err == nil && in == (op == EQ), err
	}
	n, bits, err := v.fieldNumber(p, e.Field)
	m := lowBits(bits)
	return op.testOutcome(n.and(m).cmp(e.Values[0].value.and(m))), err
}

// hasOnlyEmptySets reports whether the field is compared with empty sets only.
func (v evaluator) hasOnlyEmptySets(e *Cmp) bool {
	for i := range e.Values {
		if e.Values[i].Kind != ConstAddressSet {
			return false
		}
		if s, ok := v.resolveAddressSet(&e.Values[i]); !ok || s.Len() > 0 {
			return false
		}
	}
	return true
}

// cmpPredicate evaluates "tcp == 1" and similar.
func (v evaluator) cmpPredicate(p *Packet, e *Cmp, op Op) (bool, error) {
	ok, err := v.evalExpr(p, e.Field.sym.body, false)
	if err != nil {
		return false, err
	}
	for _, c := range e.Values {
		if (c.value.lo&1 == 1) == ok {
			return op == EQ, nil
		}
	}
	return op == NE, nil
}

func (v evaluator) cmpText(p *Packet, e *Cmp, op Op) bool {
	lport := p.logicalPort(e.Field.sym.source)
	for _, c := range e.Values {
		if c.Kind == ConstPortGroup && v.env.PortGroupHas(c.Name(), lport) ||
			c.Kind == ConstString && c.Name() == lport {
			return op == EQ
		}
	}
	return op == NE
}

// equalsAny reports whether the field is equal to one of the constants.
func (v evaluator) equalsAny(p *Packet, e *Cmp) (bool, error) {
	f := e.Field
	n, bits, err := v.fieldNumber(p, f)
	if err != nil {
		return false, err
	}
	for i := range e.Values {
		c := &e.Values[i]
		if c.Kind != ConstAddressSet {
			if c.equalsMasked(n, bits) {
				return true, nil
			}
			continue
		}
		a := p.addrOfField(f.sym.source)
		if !a.IsValid() || f.Bits != nil {
			return false, f.missingValueError()
		}
		if s, ok := v.resolveAddressSet(c); ok && s.Contains(a) {
			return true, nil
		}
	}
	return false, nil
}

func (v evaluator) isInRange(p *Packet, e *Range, not bool) (bool, error) {
	implied, unsure := v.evalPrereqs(p, e.Field)
	if !implied && unsure == nil {
		return false, nil
	}
	n, bits, err := v.fieldNumber(p, e.Field)
	m := lowBits(bits)
	n = n.and(m)
	in := e.LoOp.testOutcome(e.Lo.value.and(m).cmp(n)) && e.HiOp.testOutcome(n.cmp(e.Hi.value.and(m)))
	return joinPrereqs(in != not, err, unsure)
}

// namesMissingSet reports whether e names an address set that does not exist.
func (v evaluator) namesMissingSet(e Expr) bool {
	return hasLeafWhere(e, func(l Expr) bool {
		c, ok := l.(*Cmp)
		if !ok {
			return false
		}
		for i := range c.Values {
			if c.Values[i].Kind == ConstAddressSet {
				if _, ok := v.resolveAddressSet(&c.Values[i]); !ok {
					return true
				}
			}
		}
		return false
	})
}
