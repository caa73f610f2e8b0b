package words

import "cmp"

// CompareNatural orders text as people expect: "zone2" before "zone10".
func CompareNatural(a, b string) int {
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		if digit(a[i]) && digit(b[j]) {
			x, y := i, j
			for i < len(a) && digit(a[i]) {
				i++
			}
			for j < len(b) && digit(b[j]) {
				j++
			}
			for x < i-1 && a[x] == '0' {
				x++
			}
			for y < j-1 && b[y] == '0' {
				y++
			}
			if c := cmp.Or(cmp.Compare(i-x, j-y), cmp.Compare(a[x:i], b[y:j])); c != 0 {
				return c
			}
			continue
		}
		if a[i] != b[j] {
			return cmp.Compare(a[i], b[j])
		}
		i++
		j++
	}
	return cmp.Compare(len(a)-i, len(b)-j)
}

func digit(c byte) bool { return c >= '0' && c <= '9' }
