package revision

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"rung/compiler"
	"rung/model"
	"rung/model/lint"
	"rung/model/verdict"

	"rung/system"
)

// objectFindings are the findings of the same objects and desired rows.
type objectFindings struct {
	once         sync.Once
	objects      atomic.Pointer[[]model.Finding] // of the objects
	withVerdicts atomic.Pointer[[]model.Finding] // and of verdicts
	audit        atomic.Pointer[verdict.Audit]   // from which those are, nil where it is too large
}

// findingsCache holds the findings that were worked out last, whichever revision
// they are of.
type findingsCache struct {
	newest atomic.Pointer[cachedFindings]
}

type cachedFindings struct {
	number   uint64 // of the revision
	findings []model.Finding
}

// FindingsOfObjects returns the findings from the objects of this very revision, worst first;
// AllFindings adds the findings from verdicts. The first caller waits until they are
// worked out, some milliseconds for 1,000 pods and 1,000 rules.
func FindingsOfObjects(r *Revision) []model.Finding {
	d := SharedValue[objectFindings](r)
	d.once.Do(func() {
		o := lintOptions(r)
		o.Index, o.Ladder = r.PodIndex(), r.Ladder()
		f := lint.Run(r.Cluster, r.Broken, o)
		d.objects.Store(&f)
		CarriedValue[findingsCache](r).put(&cachedFindings{r.Number, withLastKnown(r, f)})
	})
	return *d.objects.Load()
}

// AllFindings are all findings of this very revision, worst first: every connection there
// can be is asked, which takes up to a second or two on a big cluster. Where it would take
// longer, a finding says so. The error is that of the context.
func AllFindings(r *Revision, ctx context.Context) ([]model.Finding, error) {
	d := SharedValue[objectFindings](r)
	if f := d.withVerdicts.Load(); f != nil {
		return *f, nil
	}
	found := FindingsOfObjects(r)
	if !r.System.HasFeature(system.Stages) {
		// Without stages no verdict can be asked for: the objects' findings are all.
		d.withVerdicts.CompareAndSwap(nil, &found)
		return *d.withVerdicts.Load(), nil
	}
	v := r.Verdicts()
	rulesAudit, err := verdict.NewAudit(ctx, v, lint.AuditQuestionsOf(r.Cluster, r.PodIndex()))
	if err != nil && !errors.Is(err, verdict.ErrTooLarge) {
		return nil, err
	}
	if err == nil {
		d.audit.Store(rulesAudit)
	}
	f := lint.WithVerdicts(r.JudgedCluster(), r.PodIndex(), found, v, rulesAudit, err)
	if !d.withVerdicts.CompareAndSwap(nil, &f) {
		return *d.withVerdicts.Load(), nil // pages hold on to the list they were given
	}
	CarriedValue[findingsCache](r).put(&cachedFindings{r.Number, f})
	return f, nil
}

// smallPods and smallPolicies bound a cluster of which all findings are worked out within
// milliseconds.
const (
	smallPods     = 200
	smallPolicies = 60
)

// FindSome works out the findings of the objects, and where that takes no time all of them;
// it says whether they are all.
func FindSome(r *Revision) bool {
	FindingsOfObjects(r)
	if SharedValue[objectFindings](r).withVerdicts.Load() != nil {
		return true
	}
	policies := r.Cluster.Count(model.KindANP) + r.Cluster.Count(model.KindNP) + r.Cluster.Count(model.KindEF)
	if r.Cluster.Count(model.KindPod) > smallPods || policies > smallPolicies {
		return false
	}
	_, err := AllFindings(r, context.Background())
	return err == nil
}

// HasFindings says whether all findings are worked out.
func HasFindings(r *Revision) bool {
	return SharedValue[objectFindings](r).withVerdicts.Load() != nil
}

// KnownAudit returns the audit of the rules by the verdicts of all connections, once
// AllFindings has asked for them; nil before, and where there are too many.
func KnownAudit(r *Revision) *verdict.Audit {
	return SharedValue[objectFindings](r).audit.Load()
}

// withLastKnown are findings of the objects with what verdicts said last of policies and rules
// that are still there, and of the findings themselves.
func withLastKnown(r *Revision, found []model.Finding) []model.Finding {
	e := CarriedValue[findingsCache](r).newest.Load()
	if e == nil {
		return found
	}
	out := slices.Clone(found)
	for i := range out {
		f := &out[i]
		k := slices.IndexFunc(e.findings, func(o model.Finding) bool {
			return o.Code == f.Code && o.Policy == f.Policy && o.Direction == f.Direction && o.Rule == f.Rule &&
				strings.HasPrefix(o.Message, f.Message)
		})
		if k >= 0 {
			*f = e.findings[k]
		}
	}
	for _, f := range e.findings {
		p := r.Cluster.Policy(f.Policy)
		if lint.IsFromVerdicts(f.Code) && (f.Policy.Name == "" || p != nil && (f.Rule < 0 || p.Rule(f.Direction, f.Rule) != nil)) {
			out = append(out, f)
		}
	}
	return lint.SortFindings(r.Cluster, out)
}

// lintOptions returns the options that findings about this cluster depend on besides
// its objects.
func lintOptions(r *Revision) lint.Options {
	o := lint.Options{MaxPriority: r.Flags.MaxPriority, CNP: r.Flags.CompileCNP, NoSubnets: r.Desired.Options().NodeSubnets,
		LegacyIsolation: r.Flags.LegacyIsolation, System: r.System.Lint, Networks: r.Desired.Networks(),
		NoMultiPolicies: !r.Desired.ProgramsMulti(), HostNetworkNamespace: cmp.Or(r.Desired.Options().HostNetworkNamespace,
			compiler.DefaultHostNetworkNamespace)}
	if o.NoSubnets {
		o.NodeSubnets = r.Desired.Options().ClusterSubnets
	}
	o.IPv4, o.IPv6 = r.Desired.Families()
	return o
}

// KnownFindings are findings nobody has to wait for: all those of this revision where they
// were worked out, else those of its objects with what verdicts said last, else those that
// were worked out last. current says whether they are all and of this revision; what shows
// others must say so. Where nothing was worked out yet it waits as FindSome does.
func KnownFindings(r *Revision) (findings []model.Finding, current bool) {
	d := SharedValue[objectFindings](r)
	if f := d.withVerdicts.Load(); f != nil {
		return *f, true
	}
	if e := CarriedValue[findingsCache](r).newest.Load(); e != nil {
		return e.findings, false
	}
	if FindSome(r) {
		return *d.withVerdicts.Load(), true
	}
	return FindingsOfObjects(r), false
}

// FindingsOf returns the findings of AllFindings that are about a policy.
func FindingsOf(r *Revision, k model.PolicyKey) []model.Finding {
	all, _ := AllFindings(r, context.Background()) // which does not end
	return findingsOfPolicy(all, k)
}

// KnownFindingsOf returns the findings of KnownFindings that are about a policy.
func KnownFindingsOf(r *Revision, k model.PolicyKey) []model.Finding {
	all, _ := KnownFindings(r)
	return findingsOfPolicy(all, k)
}

func findingsOfPolicy(all []model.Finding, k model.PolicyKey) (out []model.Finding) {
	for _, f := range all {
		if f.Policy == k {
			out = append(out, f)
		}
	}
	return out
}

// put keeps the entry of the newest revision.
func (b *findingsCache) put(e *cachedFindings) {
	for {
		old := b.newest.Load()
		if old != nil && old.number > e.number || b.newest.CompareAndSwap(old, e) {
			return
		}
	}
}
