package lab

import (
	"context"
	"fmt"

	"rung/model"
	"rung/model/words"
	"rung/sources/sandbox"
)

// Values of Config.OVN other than folders.
const (
	OVNAuto = sandbox.Auto
	OVNOff  = "off"
)

// ownServer and ownOVN report whether a path or name selects a server, or an OVN.
func (c *Config) ownServer() bool { return c.Server != "" && c.Server != sandbox.ServerAuto }
func (c *Config) ownOVN() bool    { return c.OVN != "" && c.OVN != OVNOff && c.OVN != OVNAuto }

// CheckOVN says in one line why the sandbox cannot run on a folder's OVN.
func CheckOVN(ctx context.Context, place string) error {
	_, err := sandbox.FindTools(ctx, place)
	return err
}

// findOVN returns the OVN to run the sandbox on, or nil. If auto finds none, the activity says why.
func (l *Lab) findOVN() (*sandbox.Tools, error) {
	switch {
	case l.OVN == "" || l.OVN == OVNOff:
		return nil, nil
	case l.OVN == OVNAuto && l.ownServer():
		return nil, nil // the chosen server has no OVN
	}
	tools, err := sandbox.FindTools(l.Context(), l.OVN)
	if err != nil && l.OVN == OVNAuto {
		l.withoutOVN(err)
		return nil, nil
	}
	return tools, err
}

// How much auto runs on OVN: each zone is six processes and some 100 MB, each pod a port. A chosen folder is
// used whatever the size.
const (
	autoOVNZones = 8
	autoOVNPods  = 500
)

// tooManyZones says why auto does not run these zones on OVN; nil if it does.
func tooManyZones(c *model.Cluster, zones int) error {
	pods := c.Count(model.KindPod)
	if zones <= autoOVNZones && pods <= autoOVNPods {
		return nil
	}
	return fmt.Errorf("%s and %s; --sandbox-ovn auto is for up to %d nodes and %d pods", words.Count(zones, "node"), words.Count(pods, "pod"),
		autoOVNZones, autoOVNPods)
}

// withoutOVN records why traffic is simulated.
func (l *Lab) withoutOVN(err error) {
	l.RecordActivity(model.Activity{By: "sandbox", Summary: "runs without OVN: " + err.Error()})
	l.Send(func() { l.why = err.Error() })
}
