package match

// field is name [ "[" low [ ".." high ] "]" ].
func (p *parser) field() Field {
	f := Field{Name: p.src[p.tok.pos:p.tok.end]}
	f.sym = p.table[f.Name]
	p.advance()
	if p.tok.kind == tokLParen {
		p.fail(p.tok.pos, "functions are not understood")
		return f
	}
	if p.tok.kind != tokLBracket {
		return f
	}
	start, pos := p.prev, p.tok.pos
	p.advance()
	b := &Bits{Low: p.bit()}
	b.High = b.Low
	if p.accept(tokEllipsis) {
		b.High = p.bit()
	}
	if p.err == nil && !p.accept(tokRBracket) {
		p.expect("] or ..")
	}
	b.text = p.src[start:p.prev]
	f.Bits = b
	if b.Low > b.High {
		p.fail(pos, "the first bit must not be above the last")
	}
	p.checkBits(pos, f)
	return f
}

// maxBit is the highest bit number Parse takes for a field it does not know.
const maxBit = 1023

func (p *parser) bit() int {
	n, ok := p.tok.c.Number()
	if p.tok.kind != tokConst || p.tok.c.Kind != ConstDecimal || !ok || n > maxBit {
		p.expect("a bit number")
		return 0
	}
	p.advance()
	return int(n)
}

// values is constant or "{" constant { [ "," ] constant } [ "," ] "}".
func (p *parser) values(c *Cmp) {
	if p.tok.kind != tokLBrace {
		c.Values = []Const{p.constant()}
		return
	}
	p.advance()
	c.Braced = true
	for {
		c.Values = append(c.Values, p.constant())
		p.accept(tokComma)
		if p.err != nil || p.accept(tokRBrace) {
			return
		}
	}
}

func (p *parser) constant() Const {
	c := p.tok.c
	if p.tok.kind != tokConst {
		p.expect("a constant")
	} else {
		p.advance()
	}
	return c
}
