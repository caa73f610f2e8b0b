package match

// Expr is an expression: *And, *Or, *Not, *Paren, *Bool, *Pred, *Cmp or *Range. It is immutable. String
// returns the text it was parsed from, with white space and comments between its tokens.
type Expr interface {
	String() string
	isExpr()
}

// writtenText is an expression's part of the text it was parsed from.
type writtenText string

// String returns the text.
func (w writtenText) String() string { return string(w) }

func (writtenText) isExpr() {}

// And is the conjunction of two or more terms. No term is an And or Or itself, except in a Paren.
type And struct {
	Terms []Expr
	writtenText
}

// Or is the disjunction of two or more terms, as And.
type Or struct {
	Terms []Expr
	writtenText
}

// Not is the negation of a Paren, Pred or Bool.
type Not struct {
	X Expr
	writtenText
}

// Paren is an expression in parentheses.
type Paren struct {
	X Expr
	writtenText
}

// Bool is the constant expression 1 or 0.
type Bool struct {
	Value bool
	writtenText
}

// Pred is a bare field: a predicate such as tcp, or a field of one bit. Under "!" it may be a field of any
// width, tested for 0.
type Pred struct {
	Field Field
	writtenText
}

// Cmp compares a field with constants. == means equal to at least one, != different from all.
type Cmp struct {
	Field Field
	// Op is the operator, with the field on the left.
	Op     Op
	Values []Const
	Braced bool // {…}
	writtenText
}

// Range is Lo ≤ Field ≤ Hi or similar: LoOp and HiOp are both LT or LE, or both GT or GE, as written.
type Range struct {
	Lo    Const
	LoOp  Op
	Field Field
	HiOp  Op
	Hi    Const
	writtenText
}

// Field is a field, or a range of its bits.
type Field struct {
	Name string
	Bits *Bits // nil for the whole field

	sym *symbol
}

// Bits is a range of a field's bits, counted from the least significant bit.
type Bits struct {
	Low, High int
	text      string // "[120..127]" as written
}

// String returns the field as written.
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

// String returns the operator as written.
func (o Op) String() string {
	if int(o) < len(opText) {
		return opText[o]
	}
	return ""
}

// swapped returns the equivalent operator for swapped operands.
func (o Op) swapped() Op { return [...]Op{0, EQ, NE, GT, GE, LT, LE}[o] }

// inverted returns the negated operator.
func (o Op) inverted() Op { return [...]Op{0, NE, EQ, GE, GT, LE, LT}[o] }

// testOutcome applies the operator to the outcome of a comparison.
func (o Op) testOutcome(cmp int) bool {
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
	}
	return cmp >= 0
}

// parseField parses name [ "[" low [ ".." high ] "]" ].
func (p *parser) parseField() Field {
	f := Field{Name: p.src[p.tok.pos:p.tok.end]}
	f.sym = p.table[f.Name]
	p.advance()
	if p.tok.kind == tokLParen {
		p.failAt(p.tok.pos, "functions are not supported")
		return f
	}
	if p.tok.kind != tokLBracket {
		return f
	}
	start, pos := p.prev, p.tok.pos
	p.advance()
	b := &Bits{Low: p.parseBit()}
	b.High = b.Low
	if p.accept(tokEllipsis) {
		b.High = p.parseBit()
	}
	if p.err == nil && !p.accept(tokRBracket) {
		p.expect("] or ..")
	}
	b.text = p.src[start:p.prev]
	f.Bits = b
	if b.Low > b.High {
		p.failAt(pos, "the first bit must not be above the last")
	}
	p.checkBits(pos, f)
	return f
}

// maxBit is the highest bit number that Parse accepts for an unknown field.
const maxBit = 1023

func (p *parser) parseBit() int {
	n, ok := p.tok.c.Number()
	if p.tok.kind != tokConst || p.tok.c.Kind != ConstDecimal || !ok || n > maxBit {
		p.expect("a bit number")
		return 0
	}
	p.advance()
	return int(n)
}

// parseValues parses constant or "{" constant { [ "," ] constant } [ "," ] "}".
func (p *parser) parseValues(c *Cmp) {
	if p.tok.kind != tokLBrace {
		c.Values = []Const{p.parseConstant()}
		return
	}
	p.advance()
	c.Braced = true
	for {
		c.Values = append(c.Values, p.parseConstant())
		p.accept(tokComma)
		if p.err != nil || p.accept(tokRBrace) {
			return
		}
	}
}

func (p *parser) parseConstant() Const {
	c := p.tok.c
	if p.tok.kind != tokConst {
		p.expect("a constant")
	} else {
		p.advance()
	}
	return c
}
