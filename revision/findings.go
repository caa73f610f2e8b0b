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

// objectFindings holds the findings of equal objects and desired rows.
type objectFindings struct {
	once         sync.Once
	objects      atomic.Pointer[[]model.Finding] // from objects alone
	withVerdicts atomic.Pointer[[]model.Finding] // from objects and verdicts
	audit        atomic.Pointer[verdict.Audit]   // the source of those from verdicts, nil if too large
}

type findingsCache struct {
	newest atomic.Pointer[cachedFindings]
}

type cachedFindings struct {
	number   uint64 // of the revision
	findings []model.Finding
}

// FindingsOfObjects returns the findings from the objects of this revision, worst first. AllFindings adds
// those from verdicts. The first call computes them: some milliseconds for 1,000 pods and 1,000 rules.
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

// AllFindings returns all findings of this revision, worst first. It asks about every possible connection,
// which takes up to two seconds on a big cluster. If it would take longer, a finding says so. The error is the
// context's.
func AllFindings(r *Revision, ctx context.Context) ([]model.Finding, error) {
	d := SharedValue[objectFindings](r)
	if f := d.withVerdicts.Load(); f != nil {
		return *f, nil
	}
	found := FindingsOfObjects(r)
	if !r.System.HasFeature(system.Stages) {
		// Without stages no verdict can be computed: the objects' findings are all.
		d.withVerdicts.CompareAndSwap(nil, &found)
		return *d.withVerdicts.Load(), nil
	}
	v := r.Verdicts()
	rulesAudit, err := verdict.NewAudit(ctx, v, lint.NewAuditQuestions(r.Cluster, r.PodIndex()))
	if err != nil && !errors.Is(err, verdict.ErrTooLarge) {
		return nil, err
	}
	if err == nil {
		d.audit.Store(rulesAudit)
	}
	f := lint.WithVerdicts(r.JudgedCluster(), r.PodIndex(), found, v, rulesAudit, err)
	if !d.withVerdicts.CompareAndSwap(nil, &f) {
		return *d.withVerdicts.Load(), nil // pages keep the list they got
	}
	CarriedValue[findingsCache](r).put(&cachedFindings{r.Number, f})
	return f, nil
}

// smallPods and smallPolicies limit a cluster whose findings take only milliseconds.
const (
	smallPods     = 200
	smallPolicies = 60
)

// FindSome computes the findings of the objects, and all findings if the cluster is small. It reports whether
// all are known.
func FindSome(r *Revision) bool {
	FindingsOfObjects(r)
	if HasFindings(r) {
		return true
	}
	policies := r.Cluster.Count(model.KindANP) + r.Cluster.Count(model.KindNP) + r.Cluster.Count(model.KindEF)
	if r.Cluster.Count(model.KindPod) > smallPods || policies > smallPolicies {
		return false
	}
	_, err := AllFindings(r, context.Background())
	return err == nil
}

// HasFindings reports whether all findings are computed.
func HasFindings(r *Revision) bool {
	return SharedValue[objectFindings](r).withVerdicts.Load() != nil
}

// KnownAudit returns the audit of the rules by the verdicts of all connections. Before AllFindings, or with
// too many connections, it returns nil.
func KnownAudit(r *Revision) *verdict.Audit {
	return SharedValue[objectFindings](r).audit.Load()
}

// withLastKnown adds the last findings from verdicts about policies and rules that still exist, and replaces
// findings by their last version with verdicts.
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

// KnownFindings returns findings that are already computed: all of this revision; else those of its objects,
// with the last ones from verdicts; else the last computed. current reports whether they are all of this
// revision's; pages must mark others as outdated. If none were computed yet, it waits as FindSome does.
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

// PolicyFindings returns the findings of AllFindings that are about a policy.
func PolicyFindings(r *Revision, k model.PolicyKey) []model.Finding {
	all, _ := AllFindings(r, context.Background()) // this context never ends
	return findingsOfPolicy(all, k)
}

// KnownPolicyFindings returns the findings of KnownFindings that are about a policy.
func KnownPolicyFindings(r *Revision, k model.PolicyKey) []model.Finding {
	all, _ := KnownFindings(r)
	return findingsOfPolicy(all, k)
}

func findingsOfPolicy(all []model.Finding, k model.PolicyKey) []model.Finding {
	return model.Filter(all, func(f model.Finding) bool { return f.Policy == k })
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
