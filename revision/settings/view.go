package settings

import (
	"maps"
	"reflect"
	"slices"

	"rung/compiler"
	"rung/model/ovn/dialect"
	"rung/sources/kube"
	"rung/system"
)

// New knows flags only, and the families that are compiled for.
func New(flags *Flags, v4, v6 bool) *View {
	return &View{flags: flags, options: flags.CompilerOptions(), v4: v4, v6: v6}
}

// Zones are the names of the zones whose rows were read, sorted.
func (v *View) Zones() []string { return slices.Sorted(maps.Keys(v.zones)) }

// Rows is the dialect of a zone's rows, nil when they were not read.
func (v *View) Rows(zone string) *dialect.Dialect { return v.zones[zone] }

// Cluster is the dialect of most zones' rows.
func (v *View) Cluster() *dialect.Dialect { return &v.cluster }

// WithFamilies compiles for other families, which follow the pods where nobody says.
func (v *View) WithFamilies(v4, v6 bool) *View {
	if v4 == v.v4 && v6 == v.v6 {
		return v
	}
	next := *v
	next.v4, next.v6 = v4, v6
	return &next
}

// WithSystem compiles for a system.
func (v *View) WithSystem(s *system.System) *View {
	next := *v
	next.nothing = !s.Has(system.Rows)
	return &next
}

// Read says whether the rows of a zone were read: a cluster with a Northbound database
// runs OVN-Kubernetes, whatever other objects stand in it.
func (v *View) Read() bool { return len(v.zones) > 0 }

// WithRows knows the dialect of a zone's rows; it is v where that is nothing new.
func (v *View) WithRows(zone string, found *dialect.Dialect) *View {
	if was := v.zones[zone]; was != nil && reflect.DeepEqual(was, found) {
		return v
	}
	next := *v
	next.zones = maps.Clone(next.zones)
	if next.zones == nil {
		next.zones = map[string]*dialect.Dialect{}
	}
	next.zones[zone] = found
	return &next
}

// WithConfig knows what the cluster's objects say; problem is why they could not
// be read, or not all. Settings that were known stay while none can be read.
func (v *View) WithConfig(c kube.OVNKube, problem string) *View {
	next := *v
	if problem == "" || len(c.Settings) > 0 || c.Image != "" {
		next.config = c
	}
	next.configErr = problem
	return &next
}

// Counted forgets the zones that are gone and counts anew what most of them say.
func (v *View) Counted(isThere func(zone string) bool) *View {
	next := *v
	next.zones = maps.Clone(v.zones)
	maps.DeleteFunc(next.zones, func(zone string, _ *dialect.Dialect) bool { return !isThere(zone) })
	next.cluster = mostSay(next.zones, &v.cluster)
	return &next
}

// Wants are the options to compile with when they are not those that are compiled
// with; ok says that they are others.
func (v *View) Wants() (o compiler.Options, ok bool) {
	o = v.compilerOptions()
	return o, !sameOptions(o, v.options)
}

// Compiled says that rows are compiled with these options now.
func (v *View) Compiled(o compiler.Options, v4, v6 bool) *View {
	next := *v
	next.options, next.v4, next.v6 = o, v4, v6
	return &next
}
