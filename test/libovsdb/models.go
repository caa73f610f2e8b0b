package libovsdb

import (
	"maps"
	"slices"

	"github.com/ovn-kubernetes/libovsdb/model"
)

// The models are as libovsdb's generator (modelgen, with -extended) writes them,
// with the columns that Rung reads. Without methods to clone and to compare,
// libovsdb clones a row by way of JSON, which OVN-Kubernetes does not let it do
// either.

// ACL is a row of table ACL.
type ACL struct {
	UUID        string            `ovsdb:"_uuid"`
	Action      string            `ovsdb:"action"`
	Direction   string            `ovsdb:"direction"`
	ExternalIDs map[string]string `ovsdb:"external_ids"`
	Label       int               `ovsdb:"label"`
	Log         bool              `ovsdb:"log"`
	Match       string            `ovsdb:"match"`
	Meter       *string           `ovsdb:"meter"`
	Name        *string           `ovsdb:"name"`
	Options     map[string]string `ovsdb:"options"`
	Priority    int               `ovsdb:"priority"`
	SampleEst   *string           `ovsdb:"sample_est"`
	SampleNew   *string           `ovsdb:"sample_new"`
	Severity    *string           `ovsdb:"severity"`
	Tier        int               `ovsdb:"tier"`
}

// AddressSet is a row of table Address_Set.
type AddressSet struct {
	UUID        string            `ovsdb:"_uuid"`
	Addresses   []string          `ovsdb:"addresses"`
	ExternalIDs map[string]string `ovsdb:"external_ids"`
	Name        string            `ovsdb:"name"`
}

// PortGroup is a row of table Port_Group.
type PortGroup struct {
	UUID        string            `ovsdb:"_uuid"`
	ACLs        []string          `ovsdb:"acls"`
	ExternalIDs map[string]string `ovsdb:"external_ids"`
	Name        string            `ovsdb:"name"`
	Ports       []string          `ovsdb:"ports"`
}

// LogicalSwitch is a row of table Logical_Switch.
type LogicalSwitch struct {
	UUID        string            `ovsdb:"_uuid"`
	ACLs        []string          `ovsdb:"acls"`
	ExternalIDs map[string]string `ovsdb:"external_ids"`
	Name        string            `ovsdb:"name"`
	Ports       []string          `ovsdb:"ports"`
}

// LogicalSwitchPort is a row of table Logical_Switch_Port.
type LogicalSwitchPort struct {
	UUID        string            `ovsdb:"_uuid"`
	Addresses   []string          `ovsdb:"addresses"`
	ExternalIDs map[string]string `ovsdb:"external_ids"`
	Name        string            `ovsdb:"name"`
}

// Meter is a row of table Meter.
type Meter struct {
	UUID  string   `ovsdb:"_uuid"`
	Bands []string `ovsdb:"bands"`
	Fair  *bool    `ovsdb:"fair"`
	Name  string   `ovsdb:"name"`
	Unit  string   `ovsdb:"unit"`
}

// MeterBand is a row of table Meter_Band.
type MeterBand struct {
	UUID      string `ovsdb:"_uuid"`
	Action    string `ovsdb:"action"`
	BurstSize int    `ovsdb:"burst_size"`
	Rate      int    `ovsdb:"rate"`
}

// Global is the row of table NB_Global.
type Global struct {
	UUID        string            `ovsdb:"_uuid"`
	ExternalIDs map[string]string `ovsdb:"external_ids"`
	Name        string            `ovsdb:"name"`
}

// clone and equal are for optional columns.

func clone[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

func equal[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// CloneModelInto makes b a copy of a.
func (a *ACL) CloneModelInto(b model.Model) {
	c := b.(*ACL)
	*c = *a
	c.ExternalIDs, c.Options = maps.Clone(a.ExternalIDs), maps.Clone(a.Options)
	c.Meter, c.Name, c.Severity = clone(a.Meter), clone(a.Name), clone(a.Severity)
	c.SampleEst, c.SampleNew = clone(a.SampleEst), clone(a.SampleNew)
}

// CloneModel is a copy.
func (a *ACL) CloneModel() model.Model {
	c := &ACL{}
	a.CloneModelInto(c)
	return c
}

// EqualsModel says whether b is equal.
func (a *ACL) EqualsModel(b model.Model) bool {
	c, ok := b.(*ACL)
	return ok && a.UUID == c.UUID && a.Action == c.Action && a.Direction == c.Direction && maps.Equal(a.ExternalIDs, c.ExternalIDs) &&
		a.Label == c.Label && a.Log == c.Log && a.Match == c.Match && equal(a.Meter, c.Meter) && equal(a.Name, c.Name) &&
		maps.Equal(a.Options, c.Options) && a.Priority == c.Priority && equal(a.SampleEst, c.SampleEst) &&
		equal(a.SampleNew, c.SampleNew) && equal(a.Severity, c.Severity) && a.Tier == c.Tier
}

// CloneModelInto makes b a copy of s.
func (s *AddressSet) CloneModelInto(b model.Model) {
	c := b.(*AddressSet)
	*c = *s
	c.Addresses, c.ExternalIDs = slices.Clone(s.Addresses), maps.Clone(s.ExternalIDs)
}

// CloneModel is a copy.
func (s *AddressSet) CloneModel() model.Model {
	c := &AddressSet{}
	s.CloneModelInto(c)
	return c
}

// EqualsModel says whether b is equal.
func (s *AddressSet) EqualsModel(b model.Model) bool {
	c, ok := b.(*AddressSet)
	return ok && s.UUID == c.UUID && slices.Equal(s.Addresses, c.Addresses) && maps.Equal(s.ExternalIDs, c.ExternalIDs) && s.Name == c.Name
}

// CloneModelInto makes b a copy of g.
func (g *PortGroup) CloneModelInto(b model.Model) {
	c := b.(*PortGroup)
	*c = *g
	c.ACLs, c.Ports, c.ExternalIDs = slices.Clone(g.ACLs), slices.Clone(g.Ports), maps.Clone(g.ExternalIDs)
}

// CloneModel is a copy.
func (g *PortGroup) CloneModel() model.Model {
	c := &PortGroup{}
	g.CloneModelInto(c)
	return c
}

// EqualsModel says whether b is equal.
func (g *PortGroup) EqualsModel(b model.Model) bool {
	c, ok := b.(*PortGroup)
	return ok && g.UUID == c.UUID && slices.Equal(g.ACLs, c.ACLs) && maps.Equal(g.ExternalIDs, c.ExternalIDs) && g.Name == c.Name &&
		slices.Equal(g.Ports, c.Ports)
}

// CloneModelInto makes b a copy of p.
func (p *LogicalSwitchPort) CloneModelInto(b model.Model) {
	c := b.(*LogicalSwitchPort)
	*c = *p
	c.Addresses, c.ExternalIDs = slices.Clone(p.Addresses), maps.Clone(p.ExternalIDs)
}

// CloneModel is a copy.
func (p *LogicalSwitchPort) CloneModel() model.Model {
	c := &LogicalSwitchPort{}
	p.CloneModelInto(c)
	return c
}

// EqualsModel says whether b is equal.
func (p *LogicalSwitchPort) EqualsModel(b model.Model) bool {
	c, ok := b.(*LogicalSwitchPort)
	return ok && p.UUID == c.UUID && slices.Equal(p.Addresses, c.Addresses) && maps.Equal(p.ExternalIDs, c.ExternalIDs) && p.Name == c.Name
}
