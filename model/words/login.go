package words

import (
	"regexp"
	"strings"
)

// login matches the user and password of a URL in a text, up to the @ before its host.
var login = regexp.MustCompile(`://[^/\s?#"'<>]*@`)

// WithoutLogins takes user and password out of the URLs in a text.
func WithoutLogins(s string) string {
	if !strings.Contains(s, "://") || !strings.Contains(s, "@") {
		return s
	}
	return login.ReplaceAllString(s, "://")
}
