package revision

import (
	"fmt"
	"slices"
	"strings"

	"rung/model"
	"rung/model/words"
	"rung/system"
)

// Omissions returns what the answers of this revision leave out or assume, sorted by code: rejected or
// unreadable objects and files, policies without desired rows whose old rows may still decide, kinds and zones
// that were not read, and assumptions. OmissionFilter selects those that can change an answer. Callers must
// not change the slice.
func (r *Revision) Omissions() []model.Omission {
	if r.omissions == nil {
		return findOmissions(r)
	}
	return r.omissions.Get(func() []model.Omission { return findOmissions(r) })
}

func findOmissions(r *Revision) []model.Omission {
	return slices.Concat(unreadObjects(r), policiesWithoutRows(r), unreadKinds(r), unreadZones(r), undecidedPolicies(r), unjudgedGroups(r),
		unplacedPods(r), futurePodsOmission(r), absentKinds(r), WholeDesired(r).Networks().PodsElsewhere(r.Cluster))
}

// unknownKind is the code of objects whose kind Rung does not read: a warning for policies, else information.
const unknownKind = "unknown-kind"

// unreadObjects returns the files, documents and objects that were rejected or unreadable.
func unreadObjects(r *Revision) (out []model.Omission) {
	said := map[model.Omission]bool{}
	for _, b := range r.Broken {
		foreign := b.Code == unknownKind && b.Severity == model.SeverityWarning // a policy of a kind that Rung does not read
		if !b.IsError() && !foreign || findResource(r, b.Key.Kind) != nil && b.Key.Name == "" && b.Origin.File == "" {
			continue // the whole kind: see unreadKinds
		}
		o := model.Omission{Code: model.OmittedObject, Key: b.Key, Origin: b.Origin}
		why := b.Message
		if b.Field != "" {
			why = b.Field + " " + why
		}
		if b.Key.Name == "" {
			o.Code, o.Key.Namespace = model.OmittedFile, ""
			if said[o] {
				continue
			}
			said[o] = true
			o.Why = "could not be read and is ignored: " + why
		} else {
			// An object with several faults is one omission, with the first fault.
			id := model.Omission{Code: o.Code, Key: o.Key, Origin: model.Origin{File: b.Origin.File, Doc: b.Origin.Doc, Item: b.Origin.Item}}
			if said[id] {
				continue
			}
			said[id] = true
			o.Why = "was rejected and is ignored: " + why
			if foreign {
				o.Why = "is skipped: " + strings.TrimPrefix(why, "skipped: ")
			}
		}
		o.Remedy = b.Remedy
		if b.HasPriority {
			o.Priority = &b.Priority
		}
		out = append(out, o)
		if b.Release != "" { // rejected by the CRD of an assumed release
			o.Code, o.Remedy = model.OmittedSetting, "--api-release "+b.Release
			o.Why = fmt.Sprintf("the CRDs of network-policy-api v0.2.0: those of %s (%s) accept %s", b.Release, o.Remedy, o.OmittedName())
			out = append(out, o)
		}
	}
	return out
}

// policiesWithoutRows returns the policies that OVN-Kubernetes would reject. It skips a policy if every zone
// was read and none has rows of it.
func policiesWithoutRows(r *Revision) (out []model.Omission) {
	if r.Desired == nil || !r.System.HasFeature(system.Rows) {
		return nil
	}
	for c := range r.Desired.Policies() {
		if c.WhyNoRows == nil || c.WhyNoRows.Code == model.NoController {
			continue
		}
		p := c.Policy
		// The priority of rows written earlier is unknown. If it is the fault, it differs from today's.
		o := model.Omission{Code: model.OmittedRows, Key: p.Key, Origin: p.Origin}
		frozen, known := zonesWithRows(r, p.Key)
		older := slices.IndexFunc(p.Invalid, func(b model.Broken) bool { return b.Code == model.InvalidOlder })
		switch {
		case older >= 0:
			// The server accepts it without the field, and OVN-Kubernetes the rest.
			o.Code, o.Origin = model.OmittedObject, p.Invalid[older].Origin
			o.Why = "is rejected by Rung and ignored: " + p.Invalid[older].Field + " " + p.Invalid[older].Message
			if p.Key.Kind.HasPriority() {
				o.Priority = &p.Priority
			}
		case len(frozen) > 0:
			o.Why = fmt.Sprintf("is not programmed, but old rows still decide in %s: %s", zonesText(frozen), c.WhyNoRows.Message)
		case known:
			continue // no row of it exists
		case c.WhyNoRows.Code == "priority":
			o.Code = model.OmittedSetting
			o.Why = o.OmittedName() + " left no rows from an earlier priority"
		default:
			o.Why = "is not programmed; old rows may still apply: " + c.WhyNoRows.Message
		}
		out = append(out, o)
	}
	return out
}

// zonesWithRows returns the zones with rows of a policy, and whether all zones were read.
func zonesWithRows(r *Revision, k model.PolicyKey) (with []string, known bool) {
	known = len(r.Zones) > 0 && !r.Mode.Sandbox // the sandbox has no earlier rows
	for _, z := range r.Zones {
		in := z.PolicyJoin(k)
		switch {
		case in != nil && in.LiveACLs > 0:
			with = append(with, z.Name)
		case z.SyncedAt.IsZero() || z.Partial != "" || in == nil:
			known = false
		}
	}
	return with, known
}

func zonesText(names []string) string {
	if len(names) == 1 {
		return "zone " + names[0]
	}
	return fmt.Sprintf("%s zones (%s, …)", words.Thousands(len(names)), names[0])
}

// findResource returns the state of the API server's resource of a kind, nil if none.
func findResource(r *Revision, k model.Kind) *model.SourceResource {
	if k == "" {
		return nil
	}
	for i := range r.Sources {
		for j := range r.Sources[i].Resources {
			if res := &r.Sources[i].Resources[j]; res.Kind == k {
				return res
			}
		}
	}
	return nil
}

func unreadKinds(r *Revision) (out []model.Omission) {
	for i := range r.Sources {
		for j := range r.Sources[i].Resources {
			res := &r.Sources[i].Resources[j]
			if res.Conn == model.ConnSynced || res.Conn == model.ConnAbsent || res.Kind == model.KindEvent || res.Kind == "" {
				continue // a kind that is not served has no objects
			}
			why := "objects were not read: " + res.Error
			switch {
			case res.Conn == model.ConnDenied:
			case res.Count > 0:
				why = "objects are out of date, their last read failed: " + res.Error
			case res.Error == "":
				why = "objects were not read yet"
			}
			out = append(out, model.Omission{Code: model.OmittedKind, Key: model.Key{Kind: res.Kind}, Why: why})
		}
	}
	return out
}

func unreadZones(r *Revision) (out []model.Omission) {
	for _, z := range r.Zones {
		why := ""
		switch {
		case z.SyncedAt.IsZero() && z.Error != "":
			why = "was not read: " + z.Error
		case z.SyncedAt.IsZero():
			why = "was not read: " + string(z.Conn)
		case z.Partial != "":
			why = "was read only in part: " + z.Partial
		case !z.IsCurrent() && z.Conn != model.ConnSwept:
			why = "was last read at " + z.SyncedAt.UTC().Format("15:04:05") + " UTC: " + z.Error
		default:
			continue
		}
		out = append(out, model.Omission{Code: model.OmittedZone, Zone: z.Name, Why: strings.TrimSuffix(why, ": ")})
	}
	return out
}

// FilesMode and RowsMode are the Mode.Name of runs on files, and on databases alone.
const (
	FilesMode = "files"
	RowsMode  = "rows"
)

// absentKinds returns the kinds of policies and Services that the files do not contain. The cluster may have
// none, or they were not dumped.
func absentKinds(r *Revision) (out []model.Omission) {
	if r.Mode.Name != FilesMode {
		return nil
	}
	have := map[model.Kind]bool{}
	for p := range r.Cluster.EveryPolicy() {
		have[p.Key.Kind] = true
	}
	for _, k := range []model.Kind{model.KindNP, model.KindEF, model.KindService} {
		if r.System.AsksPolicies(k) && !have[k] && r.Cluster.Count(k) == 0 {
			out = append(out, model.Omission{Code: model.OmittedAbsent, Key: model.Key{Kind: k},
				Why: "no " + words.Plural(string(k)) + " exist: the input has none"})
		}
	}
	return out
}

// unjudgedGroups returns the groups that policies name but whose members Rung does not know.
func unjudgedGroups(r *Revision) (out []model.Omission) {
	for _, k := range []model.Kind{model.KindClusterGroup, model.KindGroup} {
		for g := range r.Cluster.Groups(k) {
			if len(g.Invalid) > 0 && !g.Invalid[0].IsError() && len(system.PoliciesNaming(r.Cluster, g.Key)) > 0 {
				out = append(out, model.Omission{Code: model.OmittedObject, Key: g.Key, Origin: g.Origin,
					Why: "is ignored, Rung does not judge it: " + g.Invalid[0].Field + " " + g.Invalid[0].Message})
			}
		}
	}
	return out
}

// undecidedPolicies returns the policies in tiers that decide nothing: admission rejects them or their tier,
// or their tier does not exist.
func undecidedPolicies(r *Revision) (out []model.Omission) {
	for _, place := range r.PolicyOrder() {
		p := place.Policy
		o := model.Omission{Code: model.OmittedObject, Key: p.Key, Origin: p.Origin}
		switch {
		case place.Missing:
			o.Why = "decides nothing: its tier " + place.TierName + " does not exist or was rejected"
		case p.Tiered != nil && p.IsRejected():
			by, b := p.WhyRejected(r.System.Title)
			o.Why = "is ignored, " + by + " it: " + strings.TrimSpace(b.Field+" "+b.Message)
		default:
			continue
		}
		out = append(out, o)
	}
	return out
}
