package words

import (
	"fmt"
	"strings"
)

// ShellQuote quotes a word so that a POSIX shell reads it back unchanged. Plain words stay unquoted. A word
// with control characters takes the $'…' form of bash and zsh, so that the printed text is readable and never
// moves the cursor.
func ShellQuote(s string) string {
	plain, control := s != "", false
	for _, r := range s {
		switch {
		case r < 0x20 || r >= 0x7f && r < 0xa0:
			control = true
		case r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'):
		case strings.ContainsRune("%+,-./:@_=", r):
		default:
			plain = false
		}
	}
	switch {
	case control:
		return quoteControl(s)
	case plain:
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func quoteControl(s string) string {
	var b strings.Builder
	b.WriteString("$'")
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' || c == '\'':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < 0x20 || c >= 0x7f:
			// Always three digits, so that a following digit is not included.
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// ShellJoin quotes every word and joins them to one command line.
func ShellJoin(words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = ShellQuote(w)
	}
	return strings.Join(quoted, " ")
}
