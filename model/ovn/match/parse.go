package match

import (
	"fmt"
	"strconv"
)

// Limits of Parse. OVN also rejects parentheses nested deeper than MaxDepth.
const (
	MaxLength = 1 << 20 // bytes
	MaxDepth  = 100     // nested parentheses
)

// SyntaxError locates a syntax error in an expression and names the expected text. The message has one line,
// safe to print.
type SyntaxError struct {
	Offset int    // in bytes, from 0
	Want   string // "expected …" or the problem
	Got    string // the text there, shortened; empty at the end
}

func (e *SyntaxError) Error() string {
	got := "the end"
	if e.Got != "" {
		got = strconv.QuoteToASCII(e.Got)
	}
	return fmt.Sprintf("match expression: at offset %d, before %s: %s", e.Offset, got, e.Want)
}

// Parse parses an expression of OVN's language. It rejects with a *SyntaxError what OVN's parser rejects, as
// far as it knows the fields; unknown fields are left to Eval. Two valid forms it also rejects: functions
// (is_chassis_resident), and an order such as "<" with an address set. OVN-Kubernetes writes neither. White
// space around the whole is not kept.
func Parse(s string) (Expr, error) { return parseWith(s, symbols) }

func parseWith(s string, table map[string]*symbol) (Expr, error) {
	p := &parser{src: s, table: table}
	if len(s) > MaxLength {
		return nil, &SyntaxError{MaxLength, "an expression may have " + strconv.Itoa(MaxLength) + " bytes", ""}
	}
	p.advance()
	e := p.parseExpr()
	if p.err == nil && p.tok.kind != tokEnd {
		p.expect("the end, && or ||")
	}
	if p.err != nil {
		return nil, p.err
	}
	return e, nil
}

type parser struct {
	src       string
	table     map[string]*symbol
	tok       token
	prev      int // end of the token before tok
	depth     int
	isNegated bool // inside an odd number of "!"
	err       error
}

// advance moves to the next token.
func (p *parser) advance() {
	p.prev = p.tok.end
	p.tok = nextToken(p.src, p.tok.end)
}

// accept consumes the token if it has that kind.
func (p *parser) accept(k tokenKind) bool {
	if p.tok.kind != k {
		return false
	}
	p.advance()
	return true
}

// textSince returns the text from an offset to the end of the token before tok.
func (p *parser) textSince(pos int) writtenText { return writtenText(p.src[pos:p.prev]) }

// expect records what was expected at tok.
func (p *parser) expect(what string) {
	if p.tok.kind == tokBad {
		what = p.tok.want
	}
	p.failAt(p.tok.pos, "expected "+what)
}

// failAt records the first error.
func (p *parser) failAt(pos int, what string) {
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

// parseExpr parses operand { "&&" operand } or operand { "||" operand }.
func (p *parser) parseExpr() Expr {
	pos := p.tok.pos
	first := p.parseOperand()
	kind := p.tok.kind
	if p.err != nil || kind != tokAnd && kind != tokOr {
		return first
	}
	terms := []Expr{first}
	for p.accept(kind) {
		terms = append(terms, p.parseOperand())
		if p.err != nil {
			return nil
		}
	}
	if p.tok.kind == tokAnd || p.tok.kind == tokOr {
		p.failAt(p.tok.pos, "&& and || must be parenthesised when used together")
		return nil
	}
	if kind == tokAnd {
		return &And{terms, p.textSince(pos)}
	}
	return &Or{terms, p.textSince(pos)}
}

// parseOperand parses [ "!" ] primary.
func (p *parser) parseOperand() Expr {
	start := p.tok.pos
	if !p.accept(tokNot) {
		return p.parsePrimary()
	}
	pos := p.tok.pos
	p.isNegated = !p.isNegated
	x := p.parsePrimary()
	p.isNegated = !p.isNegated
	switch x.(type) {
	case *Cmp, *Range:
		p.failAt(pos, "the operand of ! needs parentheses")
	}
	return &Not{x, p.textSince(start)}
}

func (p *parser) parsePrimary() Expr {
	switch p.tok.kind {
	case tokLParen:
		return p.parseParen()
	case tokIdent:
		return p.parseFieldFirst()
	case tokLBrace, tokConst:
		return p.parseConstFirst()
	}
	p.expect("a field, a constant or (")
	return nil
}

func (p *parser) parseParen() Expr {
	pos := p.tok.pos
	if p.depth >= MaxDepth {
		p.failAt(pos, "parentheses are nested too deeply")
		return nil
	}
	p.depth++
	p.advance()
	x := p.parseExpr()
	if p.err == nil && !p.accept(tokRParen) {
		p.expect(") or a logical operator")
	}
	p.depth--
	return &Paren{x, p.textSince(pos)}
}

// parseFieldFirst parses field [ op constants ].
func (p *parser) parseFieldFirst() Expr {
	pos := p.tok.pos
	f := p.parseField()
	if p.err != nil {
		return nil
	}
	if p.tok.kind == tokBad {
		p.expect("a relational operator")
		return nil
	}
	if p.tok.kind != tokOp {
		p.checkPred(pos, f)
		return &Pred{f, p.textSince(pos)}
	}
	c := &Cmp{Field: f, Op: p.tok.op}
	p.advance()
	p.parseValues(c)
	c.writtenText = p.textSince(pos)
	p.checkCmp(pos, c)
	return c
}

// parseConstFirst parses constants op field, constant op field op constant, 0, or 1.
func (p *parser) parseConstFirst() Expr {
	pos := p.tok.pos
	c := &Cmp{}
	p.parseValues(c)
	if p.err != nil {
		return nil
	}
	first := c.Values[0]
	if p.tok.kind != tokOp {
		if !c.Braced && (first.Text == "0" || first.Text == "1") {
			return &Bool{first.Text == "1", p.textSince(pos)}
		}
		p.expect("a relational operator")
		return nil
	}
	op := p.tok.op
	p.advance()
	c.Op = op.swapped()
	if p.tok.kind != tokIdent {
		p.expect("a field")
		return nil
	}
	c.Field = p.parseField()
	if p.err == nil && p.tok.kind == tokOp {
		return p.parseRangeRest(pos, c, op)
	}
	c.writtenText = p.textSince(pos)
	p.checkCmp(pos, c)
	return c
}

// parseRangeRest parses the rest of a Range after "c op field".
func (p *parser) parseRangeRest(pos int, c *Cmp, op Op) Expr {
	r := &Range{Lo: c.Values[0], LoOp: op, Field: c.Field, HiOp: p.tok.op}
	up := (op == LT || op == LE) && (r.HiOp == LT || r.HiOp == LE)
	down := (op == GT || op == GE) && (r.HiOp == GT || r.HiOp == GE)
	if !up && !down {
		p.failAt(p.tok.pos, "a range has the form x < field < y or x > field > y")
		return nil
	}
	p.advance()
	hi := &Cmp{Field: c.Field, Op: r.HiOp}
	p.parseValues(hi)
	r.writtenText = p.textSince(pos)
	p.checkCmp(pos, c)
	p.checkCmp(pos, hi)
	if p.err == nil {
		r.Hi = hi.Values[0]
	}
	return r
}
