package cli

import (
	"rung/model/clean"
	"strings"
)

// oneLine folds a message onto one line and makes it safe to print.
func oneLine(s string) string {
	return clean.Text(strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), "; "))
}
