package policy_test

import (
	"strings"
	"testing"

	"rung/test/uitest"
	"rung/ui/nav"
)

// The page of a namespace says who may reach it, and its lines lead to the pairs, the policies and the rules.
func TestNamespacePage(t *testing.T) {
	s := uitest.OpenScreen(t, tampered(t), nav.ToNamespace("blue"))
	s.Want("may reach it", "it may reach", "policies, in deciding order")
	s.Golden("namespace")
	s.ResizeAll()
	for range 20 {
		if strings.Contains(s.Line("▸"), "it may reach") {
			break
		}
		s.Press("j")
	}
	s.Press("enter")
	s.Want("connections of blue")
	s = uitest.OpenScreen(t, tampered(t), nav.ToNamespace("gone"))
	s.Want("namespace gone does not exist")
}
