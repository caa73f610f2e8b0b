package match

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"math/bits"
	"net/netip"
	"strconv"
	"strings"
)

// u128 is a number as wide as the widest known field.
type u128 struct{ hi, lo uint64 }

func (a u128) and(b u128) u128 { return u128{a.hi & b.hi, a.lo & b.lo} }

// shr shifts right by n bits, 0 ≤ n < 128.
func (a u128) shr(n int) u128 {
	if n >= 64 {
		return u128{0, a.hi >> (n - 64)}
	}
	return u128{a.hi >> n, a.lo>>n | a.hi<<(64-n)}
}

func (a u128) cmp(b u128) int { return cmp.Or(cmp.Compare(a.hi, b.hi), cmp.Compare(a.lo, b.lo)) }

// width returns the number of bits without leading zeros.
func (a u128) width() int {
	if a.hi != 0 {
		return 64 + bits.Len64(a.hi)
	}
	return bits.Len64(a.lo)
}

// lowBits returns a number with the n lowest bits set, 0 ≤ n ≤ 128.
func lowBits(n int) u128 {
	if n > 64 {
		return u128{1<<(n-64) - 1, ^uint64(0)}
	}
	if n == 64 {
		return u128{0, ^uint64(0)}
	}
	return u128{0, 1<<n - 1}
}

// prefixMask returns a number with the n highest of the width lowest bits set.
func prefixMask(n, width int) u128 {
	all, low := lowBits(width), lowBits(width-n)
	return u128{all.hi &^ low.hi, all.lo &^ low.lo}
}

// addrValue returns the address as a number: of 32 bits for IPv4, of 128 for IPv6.
func addrValue(a netip.Addr) u128 {
	if a.Is4() {
		b := a.As4()
		return u128{0, uint64(binary.BigEndian.Uint32(b[:]))}
	}
	b := a.As16()
	return u128{binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])}
}

// ConstKind is the kind of a constant.
type ConstKind uint8

// The kinds of constant.
const (
	ConstDecimal ConstKind = iota + 1
	ConstHex
	ConstIP4
	ConstIP6
	ConstMAC
	ConstString     // "lport"
	ConstPortGroup  // @name
	ConstAddressSet // $name
)

// Const is a constant of a comparison, made by Parse.
type Const struct {
	Kind   ConstKind
	masked bool
	// Text has the constant and mask as written.
	Text string

	value, mask u128
	bound       *boundSet // set by BindSets for an address set
}

// Name returns the name of a port group or address set, or the value of a string.
func (c Const) Name() string {
	switch c.Kind {
	case ConstPortGroup, ConstAddressSet:
		return c.Text[1:]
	case ConstString:
		if s, ok := unquote(c.Text); ok {
			return s
		}
	}
	return ""
}

// unquote returns the value of a quoted string with JSON escapes.
func unquote(text string) (s string, ok bool) {
	if strings.IndexByte(text, '\\') < 0 {
		return text[1 : len(text)-1], true
	}
	ok = json.Unmarshal([]byte(text), &s) == nil
	return s, ok
}

// String returns the constant as written.
func (c Const) String() string { return c.Text }

// Number returns the value of a number without mask that fits 64 bits.
func (c Const) Number() (n uint64, ok bool) {
	ok = (c.Kind == ConstDecimal || c.Kind == ConstHex) && !c.masked && c.value.hi == 0
	return c.value.lo, ok
}

// Prefix returns the address or CIDR of the constant, host bits cleared as OVN clears them. ok is false for
// other kinds and non-prefix masks.
func (c Const) Prefix() (p netip.Prefix, ok bool) {
	var a netip.Addr
	switch c.Kind {
	case ConstIP4:
		var b [4]byte
		binary.BigEndian.PutUint32(b[:], uint32(c.value.lo))
		a = netip.AddrFrom4(b)
	case ConstIP6:
		var b [16]byte
		binary.BigEndian.PutUint64(b[:8], c.value.hi)
		binary.BigEndian.PutUint64(b[8:], c.value.lo)
		a = netip.AddrFrom16(b)
	default:
		return netip.Prefix{}, false
	}
	n := a.BitLen()
	if c.masked {
		n = bits.OnesCount64(c.mask.hi) + bits.OnesCount64(c.mask.lo)
		if c.mask != prefixMask(n, a.BitLen()) {
			return netip.Prefix{}, false
		}
	}
	return netip.PrefixFrom(a, n), true
}

// minWidth returns how many bits a field needs to be compared with the constant.
func (c Const) minWidth() int {
	switch {
	case c.masked:
		return c.mask.width()
	case c.Kind == ConstIP4:
		return 32
	case c.Kind == ConstIP6:
		return 128
	case c.Kind == ConstMAC:
		return 48
	}
	return c.value.width()
}

// equalsMasked reports whether an n-bit value is equal to the constant under its mask.
func (c Const) equalsMasked(v u128, n int) bool {
	m := lowBits(n)
	if c.masked {
		m = m.and(c.mask)
	}
	return v.and(m) == c.value.and(m)
}

// parseNumber parses a number, an address or a MAC address with optional mask. problem is what was expected;
// empty if the text is valid.
func parseNumber(text string) (c Const, problem string) {
	plain, mask, masked := strings.Cut(text, "/")
	c, problem = parsePlain(plain)
	if problem != "" || !masked {
		c.Text = text
		return c, problem
	}
	m, problem := parsePlain(mask)
	if problem != "" {
		return c, problem
	}
	c.Text, c.masked = text, true
	switch {
	case c.Kind == m.Kind:
		c.mask = m.value
	case c.Kind == ConstIP4 && m.Kind == ConstDecimal && m.value.cmp(u128{0, 32}) <= 0:
		c.mask = prefixMask(int(m.value.lo), 32)
	case c.Kind == ConstIP6 && m.Kind == ConstDecimal && m.value.cmp(u128{0, 128}) <= 0:
		c.mask = prefixMask(int(m.value.lo), 128)
	case c.Kind == ConstDecimal && m.Kind == ConstHex && c.value == (u128{}):
		c.Kind, c.mask = ConstHex, m.value
	default:
		return c, "a mask of the value's own form"
	}
	c.value = c.value.and(c.mask)
	return c, ""
}

func parsePlain(s string) (c Const, problem string) {
	switch {
	case s == "":
		return c, "a number"
	case strings.Trim(s, "0123456789") == "":
		c.Kind = ConstDecimal
		if s[0] == '0' && len(s) > 1 {
			return c, "a decimal number without leading zeros"
		}
		var err error
		if c.value.lo, err = strconv.ParseUint(s, 10, 64); err != nil {
			return c, "a decimal number below 2^64"
		}
		return c, ""
	case len(s) > 1 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X'):
		return parseHex(s[2:])
	case len(s) == 17 && isMAC(s):
		c.Kind = ConstMAC
		for i := 0; i < len(s); i += 3 {
			c.value.lo = c.value.lo<<8 | uint64(hexDigit(s[i])<<4|hexDigit(s[i+1]))
		}
		return c, ""
	}
	a, err := netip.ParseAddr(s)
	if err != nil || a.Zone() != "" {
		return c, "a number or an address"
	}
	c.Kind, c.value = ConstIP6, addrValue(a)
	if a.Is4() {
		c.Kind = ConstIP4
	}
	return c, ""
}

func parseHex(s string) (c Const, problem string) {
	c.Kind = ConstHex
	if s == "" {
		return c, "hexadecimal digits after 0x"
	}
	for i := 0; i < len(s); i++ {
		d := hexDigit(s[i])
		if d > 15 {
			return c, "a hexadecimal digit"
		}
		if c.value.hi>>60 != 0 {
			return c, "a hexadecimal number of at most 128 bits"
		}
		c.value = u128{c.value.hi<<4 | c.value.lo>>60, c.value.lo<<4 | uint64(d)}
	}
	return c, ""
}

// hexDigit returns the digit's value; above 15 for other characters.
func hexDigit(b byte) byte {
	switch {
	case b >= '0' && b <= '9':
		return b - '0'
	case b >= 'a' && b <= 'f':
		return b - 'a' + 10
	case b >= 'A' && b <= 'F':
		return b - 'A' + 10
	}
	return 255
}

// isMAC reports whether s, of 17 bytes, is six pairs of hexadecimal digits joined by colons.
func isMAC(s string) bool {
	for i := range len(s) {
		if i%3 == 2 && s[i] != ':' || i%3 != 2 && hexDigit(s[i]) > 15 {
			return false
		}
	}
	return true
}
