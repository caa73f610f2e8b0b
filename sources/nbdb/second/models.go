package second

import (
	"maps"
	"reflect"
	"slices"

	"github.com/ovn-kubernetes/libovsdb/model"
)

// ACL is libovsdb's model of a row of table ACL.
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

// AddressSet is libovsdb's model of a row of table Address_Set.
type AddressSet struct {
	UUID        string            `ovsdb:"_uuid"`
	Addresses   []string          `ovsdb:"addresses"`
	ExternalIDs map[string]string `ovsdb:"external_ids"`
	Name        string            `ovsdb:"name"`
}

// PortGroup is libovsdb's model of a row of table Port_Group.
type PortGroup struct {
	UUID        string            `ovsdb:"_uuid"`
	ACLs        []string          `ovsdb:"acls"`
	ExternalIDs map[string]string `ovsdb:"external_ids"`
	Name        string            `ovsdb:"name"`
	Ports       []string          `ovsdb:"ports"`
}

// LogicalSwitch is libovsdb's model of a row of table Logical_Switch.
type LogicalSwitch struct {
	UUID        string            `ovsdb:"_uuid"`
	ACLs        []string          `ovsdb:"acls"`
	ExternalIDs map[string]string `ovsdb:"external_ids"`
	Name        string            `ovsdb:"name"`
	Ports       []string          `ovsdb:"ports"`
}

// LogicalSwitchPort is libovsdb's model of a row of table Logical_Switch_Port.
type LogicalSwitchPort struct {
	UUID        string            `ovsdb:"_uuid"`
	Addresses   []string          `ovsdb:"addresses"`
	ExternalIDs map[string]string `ovsdb:"external_ids"`
	Name        string            `ovsdb:"name"`
}

// Meter is libovsdb's model of a row of table Meter.
type Meter struct {
	UUID  string   `ovsdb:"_uuid"`
	Bands []string `ovsdb:"bands"`
	Fair  *bool    `ovsdb:"fair"`
	Name  string   `ovsdb:"name"`
	Unit  string   `ovsdb:"unit"`
}

// MeterBand is libovsdb's model of a row of table Meter_Band.
type MeterBand struct {
	UUID      string `ovsdb:"_uuid"`
	Action    string `ovsdb:"action"`
	BurstSize int    `ovsdb:"burst_size"`
	Rate      int    `ovsdb:"rate"`
}

// NBGlobal is libovsdb's model of the row of table NB_Global.
type NBGlobal struct {
	UUID        string            `ovsdb:"_uuid"`
	ExternalIDs map[string]string `ovsdb:"external_ids"`
	Name        string            `ovsdb:"name"`
}

// libovsdb's cache copies rows by these methods; without them it would copy through JSON.

func (a *ACL) CloneModel() model.Model               { return cloneRow(a) }
func (a *AddressSet) CloneModel() model.Model        { return cloneRow(a) }
func (a *PortGroup) CloneModel() model.Model         { return cloneRow(a) }
func (a *LogicalSwitch) CloneModel() model.Model     { return cloneRow(a) }
func (a *LogicalSwitchPort) CloneModel() model.Model { return cloneRow(a) }
func (a *Meter) CloneModel() model.Model             { return cloneRow(a) }
func (a *MeterBand) CloneModel() model.Model         { return cloneRow(a) }
func (a *NBGlobal) CloneModel() model.Model          { return cloneRow(a) }

func (a *ACL) CloneModelInto(b model.Model)               { *b.(*ACL) = *cloneRow(a) }
func (a *AddressSet) CloneModelInto(b model.Model)        { *b.(*AddressSet) = *cloneRow(a) }
func (a *PortGroup) CloneModelInto(b model.Model)         { *b.(*PortGroup) = *cloneRow(a) }
func (a *LogicalSwitch) CloneModelInto(b model.Model)     { *b.(*LogicalSwitch) = *cloneRow(a) }
func (a *LogicalSwitchPort) CloneModelInto(b model.Model) { *b.(*LogicalSwitchPort) = *cloneRow(a) }
func (a *Meter) CloneModelInto(b model.Model)             { *b.(*Meter) = *cloneRow(a) }
func (a *MeterBand) CloneModelInto(b model.Model)         { *b.(*MeterBand) = *cloneRow(a) }
func (a *NBGlobal) CloneModelInto(b model.Model)          { *b.(*NBGlobal) = *cloneRow(a) }

// cloneRow returns a copy of a model that shares no set, map or optional value with it.
func cloneRow[T any](row *T) *T {
	c := *row
	v := reflect.ValueOf(&c).Elem()
	for i := range v.NumField() {
		switch field := v.Field(i).Addr().Interface().(type) {
		case *map[string]string:
			*field = maps.Clone(*field)
		case *[]string:
			*field = slices.Clone(*field)
		case **string:
			*field = clonePointer(*field)
		case **bool:
			*field = clonePointer(*field)
		}
	}
	return &c
}

func clonePointer[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}
