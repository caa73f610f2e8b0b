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

// NewDialectView returns a view that knows only flags and the compiled families.
func NewDialectView(flags *Flags, v4, v6 bool) *DialectView {
	return &DialectView{flags: flags, options: flags.CompilerOptions(), v4: v4, v6: v6}
}

// ZoneNames returns the sorted names of the zones whose rows were read.
func (v *DialectView) ZoneNames() []string { return slices.Sorted(maps.Keys(v.zones)) }

// RowDialect returns the dialect of a zone's rows, nil if they were not read.
func (v *DialectView) RowDialect(zone string) *dialect.Dialect { return v.zones[zone] }

// ClusterDialect returns the dialect of most zones' rows.
func (v *DialectView) ClusterDialect() *dialect.Dialect { return &v.cluster }

// WithFamilies returns the view with other compiled families, which follow the pods by default.
func (v *DialectView) WithFamilies(v4, v6 bool) *DialectView {
	if v4 == v.v4 && v6 == v.v6 {
		return v
	}
	next := *v
	next.v4, next.v6 = v4, v6
	return &next
}

// WithWriter returns the view for zones whose rows Rung writes itself.
func (v *DialectView) WithWriter() *DialectView {
	next := *v
	next.writes = true
	return &next
}

// WithObjects returns the view with facts from the objects: their ConfigMaps, unless the cluster itself was
// asked, whether primary networks exist, and the namespace that represents the nodes.
func (v *DialectView) WithObjects(c *model.Cluster, d *compiler.Desired, asked bool) *DialectView {
	next := *v
	next.primary, next.host = d.Networks().HasPrimary(), ""
	if o := d.Options(); o.HostAssumed {
		next.host = o.HostNetworkNamespace
	}
	if found := dialect.ClusterSettings(c); !asked && !maps.Equal(found, v.config.Settings) {
		next.config.Settings = found
	} else if next.primary == v.primary && next.host == v.host {
		return v
	}
	return &next
}

// WithSystem returns the view for a system.
func (v *DialectView) WithSystem(s *system.System) *DialectView {
	next := *v
	next.noRows = !s.HasFeature(system.Rows)
	return &next
}

// HasReadRows reports whether rows of any zone were read. A cluster with a Northbound database runs
// OVN-Kubernetes, whatever its objects say.
func (v *DialectView) HasReadRows() bool { return len(v.zones) > 0 }

// WithRows returns the view with the dialect of a zone's rows; v itself if nothing is new.
func (v *DialectView) WithRows(zone string, found *dialect.Dialect) *DialectView {
	if was := v.zones[zone]; was != nil && reflect.DeepEqual(was, found) {
		return v
	}
	next := *v
	next.zones = maps.Collect(maps.All(v.zones))
	next.zones[zone] = found
	return &next
}

// WithConfig returns the view with the cluster's configuration. problem says why it could not be read, or not
// completely. Known settings stay if none can be read.
func (v *DialectView) WithConfig(c kube.OVNKube, problem string) *DialectView {
	next := *v
	if problem == "" || len(c.Settings) > 0 || c.Image != "" {
		next.config = c
	}
	next.configErr = problem
	return &next
}

// ConfigProblem returns why the cluster's configuration could not be read, or not completely.
func (v *DialectView) ConfigProblem() string {
	if v == nil {
		return ""
	}
	return v.configErr
}

// Recounted drops zones that are gone and recomputes the settings of the majority.
func (v *DialectView) Recounted(isThere func(zone string) bool) *DialectView {
	next := *v
	next.zones = maps.Clone(v.zones)
	maps.DeleteFunc(next.zones, func(zone string, _ *dialect.Dialect) bool { return !isThere(zone) })
	next.cluster = majoritySettings(next.zones, &v.cluster)
	return &next
}

// WantedOptions returns the options to compile with; ok reports whether they differ from the present ones.
func (v *DialectView) WantedOptions() (o compiler.Options, ok bool) {
	o = v.compilerOptions()
	return o, !reflect.DeepEqual(o, v.options)
}

// WithCompiled returns the view after compiling with these options.
func (v *DialectView) WithCompiled(o compiler.Options, v4, v6 bool) *DialectView {
	next := *v
	next.options, next.v4, next.v6 = o, v4, v6
	return &next
}
