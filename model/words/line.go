package words

import (
	"strings"
)

// Line folds a message onto one line and makes it safe to print.
func CleanLine(s string) string {
	return CleanText(strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), "; "))
}
