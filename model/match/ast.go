package match

import "strings"

// Expr is an expression: *And, *Or, *Not, *Paren, *Bool, *Pred, *Cmp or *Range.
// It is immutable. String gives the text it was parsed from, white space and
// comments between its tokens included.
type Expr interface {
	String() string
	write(b *strings.Builder)
}

// And is the conjunction of two or more terms, none of which is an And or Or
// itself (a Paren may stand around one).
type And struct {
	Terms []Expr
	seps  seps
}

// Or is the disjunction of two or more terms, as And.
type Or struct {
	Terms []Expr
	seps  seps
}

// Not is the negation of a Paren, Pred or Bool.
type Not struct {
	X   Expr
	gap string
}

// Paren is an expression in parentheses.
type Paren struct {
	X           Expr
	open, close string
}

// Bool is the constant expression 1 or 0.
type Bool struct{ Value bool }

// Pred is a field that stands alone: a predicate such as tcp, or a field of one
// bit; under "!" a field of any width, which is then tested for 0.
type Pred struct{ Field Field }

// Cmp compares a field with a constant or a set of constants. The field is
// equal to a set when it is equal to one member, and different from it when it
// is different from all.
type Cmp struct {
	Field Field
	// Op is the operator with the field on the left.
	Op     Op
	Values []Const
	Braced bool // {…}
	// Reversed says the constants were written on the left.
	Reversed bool

	op  string
	set *setLayout // nil for {a, b}
}

// setLayout is the layout of a braced set.
type setLayout struct {
	open, close string
	seps        seps
}

// Range is Lo ≤ Field ≤ Hi or its like: LoOp and HiOp are both LT or LE, or
// both GT or GE, as written.
type Range struct {
	Lo     Const
	LoOp   Op
	Field  Field
	HiOp   Op
	Hi     Const
	lo, hi string
}

// Field is a field, or a run of its bits.
type Field struct {
	Name string
	Bits *Bits // nil for the whole field

	sym *symbol
}

// Bits are a run of a field's bits, counted from the least significant one.
type Bits struct {
	Low, High int
	text      string // "[120..127]" as written
}

// String is the field as written.
func (f Field) String() string {
	if f.Bits != nil {
		return f.Name + f.Bits.text
	}
	return f.Name
}

// Op is a relational operator.
type Op uint8

// The relational operators.
const (
	EQ Op = iota + 1
	NE
	LT
	LE
	GT
	GE
)

var opText = [...]string{"", "==", "!=", "<", "<=", ">", ">="}

// String is the operator as written.
func (o Op) String() string {
	if int(o) < len(opText) {
		return opText[o]
	}
	return ""
}

// turn is the operator that says the same with its operands exchanged.
func (o Op) turn() Op {
	switch o {
	case LT:
		return GT
	case LE:
		return GE
	case GT:
		return LT
	case GE:
		return LE
	}
	return o
}

// invert is the operator that is true where o is not.
func (o Op) invert() Op { return [...]Op{0, NE, EQ, GE, GT, LE, LT}[o] }

// test applies the operator to the outcome of a comparison.
func (o Op) test(cmp int) bool {
	switch o {
	case EQ:
		return cmp == 0
	case NE:
		return cmp != 0
	case LT:
		return cmp < 0
	case LE:
		return cmp <= 0
	case GT:
		return cmp > 0
	case GE:
		return cmp >= 0
	}
	return false
}

// seps are the texts between the members of a list: none for the usual ones
// everywhere, a single one for the same text everywhere, else each.
type seps []string

func newSeps(all []string, usual string) seps {
	for _, s := range all {
		if s != all[0] {
			return all
		}
	}
	if len(all) == 0 || all[0] == usual {
		return nil
	}
	return all[:1:1]
}

func (s seps) at(i int, usual string) string {
	switch len(s) {
	case 0:
		return usual
	case 1:
		return s[0]
	}
	return s[i]
}

// Layout that Parse leaves out because it is the usual one.
const (
	usualAnd = " && "
	usualOr  = " || "
	usualSet = ", "
)

func render(e Expr) string {
	var b strings.Builder
	e.write(&b)
	return b.String()
}

func (e *And) String() string   { return render(e) }
func (e *Or) String() string    { return render(e) }
func (e *Not) String() string   { return render(e) }
func (e *Paren) String() string { return render(e) }
func (e *Bool) String() string  { return render(e) }
func (e *Pred) String() string  { return render(e) }
func (e *Cmp) String() string   { return render(e) }
func (e *Range) String() string { return render(e) }

func writeList(b *strings.Builder, terms []Expr, s seps, usual string) {
	for i, t := range terms {
		if i > 0 {
			b.WriteString(s.at(i-1, usual))
		}
		t.write(b)
	}
}

func (e *And) write(b *strings.Builder) { writeList(b, e.Terms, e.seps, usualAnd) }
func (e *Or) write(b *strings.Builder)  { writeList(b, e.Terms, e.seps, usualOr) }

func (e *Not) write(b *strings.Builder) {
	b.WriteByte('!')
	b.WriteString(e.gap)
	e.X.write(b)
}

func (e *Paren) write(b *strings.Builder) {
	b.WriteByte('(')
	b.WriteString(e.open)
	e.X.write(b)
	b.WriteString(e.close)
	b.WriteByte(')')
}

func (e *Bool) write(b *strings.Builder) {
	if e.Value {
		b.WriteByte('1')
	} else {
		b.WriteByte('0')
	}
}

func (e *Pred) write(b *strings.Builder) { e.Field.write(b) }

func (f Field) write(b *strings.Builder) {
	b.WriteString(f.Name)
	if f.Bits != nil {
		b.WriteString(f.Bits.text)
	}
}

func (e *Cmp) write(b *strings.Builder) {
	if e.Reversed {
		e.writeValues(b)
		writeOp(b, e.Op.turn(), e.op)
		e.Field.write(b)
		return
	}
	e.Field.write(b)
	writeOp(b, e.Op, e.op)
	e.writeValues(b)
}

// writeOp writes the operator with a space on each side unless another layout
// was kept.
func writeOp(b *strings.Builder, o Op, layout string) {
	if layout != "" {
		b.WriteString(layout)
		return
	}
	b.WriteByte(' ')
	b.WriteString(o.String())
	b.WriteByte(' ')
}

func (e *Cmp) writeValues(b *strings.Builder) {
	if !e.Braced {
		for _, c := range e.Values {
			b.WriteString(c.Text)
		}
		return
	}
	set := e.set
	if set == nil {
		set = &setLayout{}
	}
	b.WriteByte('{')
	b.WriteString(set.open)
	for i, c := range e.Values {
		if i > 0 {
			b.WriteString(set.seps.at(i-1, usualSet))
		}
		b.WriteString(c.Text)
	}
	b.WriteString(set.close)
	b.WriteByte('}')
}

func (e *Range) write(b *strings.Builder) {
	b.WriteString(e.Lo.Text)
	writeOp(b, e.LoOp, e.lo)
	e.Field.write(b)
	writeOp(b, e.HiOp, e.hi)
	b.WriteString(e.Hi.Text)
}
