package match

import (
	"fmt"
	"strconv"
)

// Limits of Parse. OVN itself refuses parentheses nested deeper than MaxDepth.
const (
	MaxLength = 1 << 20 // bytes
	MaxDepth  = 100     // nested parentheses
)

// SyntaxError says where an expression cannot be understood and what should
// stand there. Its text is one line and safe to print.
type SyntaxError struct {
	Offset int    // in bytes, from 0
	Want   string // "expected …" or what is wrong
	Got    string // what stands there, shortened; empty at the end
}

func (e *SyntaxError) Error() string {
	got := "the end"
	if e.Got != "" {
		got = strconv.QuoteToASCII(e.Got)
	}
	return fmt.Sprintf("match expression: at offset %d, before %s: %s", e.Offset, got, e.Want)
}

// Parse reads an expression of OVN's language. It refuses with a *SyntaxError
// what OVN's parser refuses, as far as it knows the fields; fields it does not
// know are left to Eval. Two things it refuses although OVN takes them:
// functions (is_chassis_resident) and "<" and its like with an address set;
// OVN-Kubernetes writes neither. White space around the whole is not kept.
func Parse(s string) (Expr, error) { return parse(s, symbols) }

func parse(s string, table map[string]*symbol) (Expr, error) {
	p := &parser{src: s, table: table}
	if len(s) > MaxLength {
		return nil, &SyntaxError{MaxLength, "an expression may have " + strconv.Itoa(MaxLength) + " bytes", ""}
	}
	p.advance()
	e := p.expr()
	if p.err == nil && p.tok.kind != tokEnd {
		p.expect("the end, && or ||")
	}
	if p.err != nil {
		return nil, p.err
	}
	return e, nil
}

type parser struct {
	src   string
	table map[string]*symbol
	tok   token
	prev  int // end of the token before tok
	depth int
	not   bool // inside an odd number of "!"
	err   error
}

// advance moves to the next token.
func (p *parser) advance() {
	p.prev = p.tok.end
	p.tok = lex(p.src, p.tok.end)
}

// accept takes the token if it is of that kind.
func (p *parser) accept(k tokenKind) bool {
	if p.tok.kind != k {
		return false
	}
	p.advance()
	return true
}

// since returns the text that was read from an offset on, up to the end of the token
// before tok.
func (p *parser) since(pos int) written { return written(p.src[pos:p.prev]) }

// expect notes that something else should stand at tok.
func (p *parser) expect(what string) {
	if p.tok.kind == tokBad {
		what = p.tok.want
	}
	p.fail(p.tok.pos, "expected "+what)
}

// fail notes the first error.
func (p *parser) fail(pos int, what string) {
	if p.err != nil {
		return
	}
	const show = 24
	got := p.src[pos:]
	if len(got) > show {
		got = got[:show] + "…"
	}
	p.err = &SyntaxError{pos, what, got}
}

// expr is operand { "&&" operand } or operand { "||" operand }.
func (p *parser) expr() Expr {
	pos := p.tok.pos
	first := p.operand()
	kind := p.tok.kind
	if p.err != nil || kind != tokAnd && kind != tokOr {
		return first
	}
	terms := []Expr{first}
	for p.accept(kind) {
		terms = append(terms, p.operand())
		if p.err != nil {
			return nil
		}
	}
	if p.tok.kind == tokAnd || p.tok.kind == tokOr {
		p.fail(p.tok.pos, "&& and || must be parenthesised when used together")
		return nil
	}
	if kind == tokAnd {
		return &And{terms, p.since(pos)}
	}
	return &Or{terms, p.since(pos)}
}

// operand is [ "!" ] primary.
func (p *parser) operand() Expr {
	start := p.tok.pos
	if !p.accept(tokNot) {
		return p.primary()
	}
	pos := p.tok.pos
	p.not = !p.not
	x := p.primary()
	p.not = !p.not
	switch x.(type) {
	case *Cmp, *Range:
		p.fail(pos, "the operand of ! needs parentheses")
	}
	return &Not{x, p.since(start)}
}

func (p *parser) primary() Expr {
	switch p.tok.kind {
	case tokLParen:
		return p.paren()
	case tokIdent:
		return p.fieldFirst()
	case tokLBrace, tokConst:
		return p.constFirst()
	}
	p.expect("a field, a constant or (")
	return nil
}

func (p *parser) paren() Expr {
	pos := p.tok.pos
	if p.depth >= MaxDepth {
		p.fail(pos, "parentheses are nested too deeply")
		return nil
	}
	p.depth++
	p.advance()
	x := p.expr()
	if p.err == nil && !p.accept(tokRParen) {
		p.expect(") or a logical operator")
	}
	p.depth--
	return &Paren{x, p.since(pos)}
}

// fieldFirst is field [ op constants ].
func (p *parser) fieldFirst() Expr {
	pos := p.tok.pos
	f := p.field()
	if p.err != nil {
		return nil
	}
	if p.tok.kind == tokBad {
		p.expect("a relational operator")
		return nil
	}
	if p.tok.kind != tokOp {
		p.checkPred(pos, f)
		return &Pred{f, p.since(pos)}
	}
	c := &Cmp{Field: f, Op: p.tok.op}
	p.advance()
	p.values(c)
	c.written = p.since(pos)
	p.checkCmp(pos, c)
	return c
}

// constFirst is constants op field, constant op field op constant, 0, or 1.
func (p *parser) constFirst() Expr {
	pos := p.tok.pos
	c := &Cmp{}
	p.values(c)
	if p.err != nil {
		return nil
	}
	first := c.Values[0]
	if p.tok.kind != tokOp {
		if !c.Braced && (first.Text == "0" || first.Text == "1") {
			return &Bool{first.Text == "1", p.since(pos)}
		}
		p.expect("a relational operator")
		return nil
	}
	op := p.tok.op
	p.advance()
	c.Op = op.turn()
	if p.tok.kind != tokIdent {
		p.expect("a field")
		return nil
	}
	c.Field = p.field()
	if p.err == nil && p.tok.kind == tokOp {
		return p.rangeRest(pos, c, op)
	}
	c.written = p.since(pos)
	p.checkCmp(pos, c)
	return c
}

// rangeRest turns "c op field" into a Range by what follows.
func (p *parser) rangeRest(pos int, c *Cmp, op Op) Expr {
	r := &Range{Lo: c.Values[0], LoOp: op, Field: c.Field, HiOp: p.tok.op}
	up := (op == LT || op == LE) && (r.HiOp == LT || r.HiOp == LE)
	down := (op == GT || op == GE) && (r.HiOp == GT || r.HiOp == GE)
	if !up && !down {
		p.fail(p.tok.pos, "a range has the form x < field < y or x > field > y")
		return nil
	}
	p.advance()
	hi := &Cmp{Field: c.Field, Op: r.HiOp}
	p.values(hi)
	r.written = p.since(pos)
	p.checkCmp(pos, c)
	p.checkCmp(pos, hi)
	if p.err == nil {
		r.Hi = hi.Values[0]
	}
	return r
}
