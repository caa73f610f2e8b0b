package clean

import (
	"strings"
)

// Line folds a message onto one line and makes it safe to print.
func Line(s string) string {
	return Text(strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), "; "))
}
