package nbdb

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
)

// Where socat is the only program and cannot open the socket, that is the reason.
func TestOnlySocat(t *testing.T) {
	c := &programAccess{cfg: RemoteConfig{Open: func(context.Context) (Runner, string, error) { return nil, "pod/n1", nil }}, db: northbound,
		site: &siteFacts{endpoint: "pod/n1", socket: "/run/a,b.sock", tools: []string{socat}}}
	var programs sync.WaitGroup
	_, err := c.openRelay(t.Context(), t.Context(), &programs, snapshotOnly)
	if !errors.Is(err, errNotPlain) || strings.Contains(err.Error(), "nil") {
		t.Error(err)
	}
}
