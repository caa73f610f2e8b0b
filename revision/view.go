package revision

import (
	"maps"
	"reflect"
	"slices"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/dialect"

	"rung/sources/kube"
	"rung/system"
)

// New knows flags only, and the families that are compiled for.
func NewDialectView(flags *Flags, v4, v6 bool) *DialectView {
	return &DialectView{flags: flags, options: flags.CompilerOptions(), v4: v4, v6: v6}
}

// ZoneNames are the names of the zones whose rows were read, sorted.
func (v *DialectView) ZoneNames() []string { return slices.Sorted(maps.Keys(v.zones)) }

// RowDialect is the dialect of a zone's rows, nil when they were not read.
func (v *DialectView) RowDialect(zone string) *dialect.Dialect { return v.zones[zone] }

// ClusterDialect is the dialect of most zones' rows.
func (v *DialectView) ClusterDialect() *dialect.Dialect { return &v.cluster }

// WithFamilies compiles for other families, which follow the pods where nobody says.
func (v *DialectView) WithFamilies(v4, v6 bool) *DialectView {
	if v4 == v.v4 && v6 == v.v6 {
		return v
	}
	next := *v
	next.v4, next.v6 = v4, v6
	return &next
}

// WithWriter knows that Rung writes the rows of the zones itself.
func (v *DialectView) WithWriter() *DialectView {
	next := *v
	next.writes = true
	return &next
}

// WithObjects knows what the objects say: their ConfigMaps, unless the cluster itself was asked, whether there are
// primary networks, and the namespace that stands for the nodes.
func (v *DialectView) WithObjects(c *model.Cluster, d *compiler.Desired, asked bool) *DialectView {
	next := *v
	next.primary, next.host = d.Networks().HasPrimary(), ""
	if o := d.Options(); o.HostAssumed {
		next.host = o.HostNetworkNamespace
	}
	if found := dialect.Of(c); !asked && !maps.Equal(found, v.config.Settings) {
		next.config.Settings = found
	} else if next.primary == v.primary && next.host == v.host {
		return v
	}
	return &next
}

// WithSystem compiles for a system.
func (v *DialectView) WithSystem(s *system.System) *DialectView {
	next := *v
	next.noRows = !s.HasFeature(system.Rows)
	return &next
}

// HasReadRows says whether the rows of a zone were read: a cluster with a Northbound database
// runs OVN-Kubernetes, whatever other objects stand in it.
func (v *DialectView) HasReadRows() bool { return len(v.zones) > 0 }

// WithRows knows the dialect of a zone's rows; it is v where that is nothing new.
func (v *DialectView) WithRows(zone string, found *dialect.Dialect) *DialectView {
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
func (v *DialectView) WithConfig(c kube.OVNKube, problem string) *DialectView {
	next := *v
	if problem == "" || len(c.Settings) > 0 || c.Image != "" {
		next.config = c
	}
	next.configErr = problem
	return &next
}

// ConfigProblem says why the cluster's objects that hold settings could not be read, or not all.
func (v *DialectView) ConfigProblem() string {
	if v == nil {
		return ""
	}
	return v.configErr
}

// Recounted forgets the zones that are gone and counts anew what most of them say.
func (v *DialectView) Recounted(isThere func(zone string) bool) *DialectView {
	next := *v
	next.zones = maps.Clone(v.zones)
	maps.DeleteFunc(next.zones, func(zone string, _ *dialect.Dialect) bool { return !isThere(zone) })
	next.cluster = majoritySettings(next.zones, &v.cluster)
	return &next
}

// WantedOptions are the options to compile with when they are not those that are compiled
// with; ok says that they are others.
func (v *DialectView) WantedOptions() (o compiler.Options, ok bool) {
	o = v.compilerOptions()
	return o, !reflect.DeepEqual(o, v.options)
}

// WithCompiled says that rows are compiled with these options now.
func (v *DialectView) WithCompiled(o compiler.Options, v4, v6 bool) *DialectView {
	next := *v
	next.options, next.v4, next.v6 = o, v4, v6
	return &next
}
