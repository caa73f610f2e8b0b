package cli

import (
	"testing"

	"rung/model/ovn/flow"
)

// Where the trace names no stage, nothing stands behind "in".
func TestLostNowhere(t *testing.T) {
	if got, want := (&traceOut{End: flow.EndLost}).endingText(), "dropped by OVN, not by an ACL"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := (&traceOut{End: flow.EndLost, At: []string{"ls_in_acl"}}).endingText(), "dropped by OVN, not by an ACL, in ls_in_acl"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
