package revision

import (
	"cmp"
	"fmt"
	"slices"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
)

// ZoneShown reports whether the live rows of one zone show the current policies. It is read from the rows, not
// from a possibly older state.
type ZoneShown struct {
	Zone string
	OK   bool
	// Why names the missing rows, or if OK a special case: "no rows wanted".
	Why string
}

// ZonesShowing checks in every zone, by name, the ACLs of the policies and their related units. Each desired
// ACL must be live with all its columns, and those in gone must not be live.
func ZonesShowing(r *Revision, policies []model.PolicyKey, gone []string) []ZoneShown {
	out := make([]ZoneShown, 0, len(r.Zones))
	var units []model.PolicyKey
	for _, k := range policies {
		if k.Kind == model.KindNamespace {
			units = append(units, LoggedUnits(r, k)...)
			continue
		}
		units = append(append(units, k), r.RelatedUnits(k)...)
	}
	for _, z := range r.Zones {
		s := ZoneShown{Zone: z.Name}
		s.OK, s.Why = isShownInZone(r, z, units, gone)
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b ZoneShown) int { return cmp.Compare(a.Zone, b.Zone) })
	return out
}

func isShownInZone(r *Revision, z *model.ZoneState, policies []model.PolicyKey, gone []string) (ok bool, why string) {
	switch {
	case z.SyncedAt.IsZero():
		return false, "not read yet"
	case z.IsStored():
		return false, "a file, never updated"
	case z.Conn == model.ConnSwept:
		return isShownAsRead(r, z, policies)
	case z.Conn != model.ConnSynced || z.DB == nil:
		return false, string(z.Conn)
	}
	left := 0
	for _, id := range gone {
		if z.DB.ACLByID(id) != nil {
			left++
		}
	}
	if left > 0 {
		return false, words.Count(left, "ACL") + " still there"
	}
	for _, k := range policies {
		if r.DesiredFor(k).Policy(k) == nil {
			continue
		}
		if none := r.WhyNoRows(k); none != nil {
			in := z.PolicyJoin(k)
			switch {
			case in != nil && in.LiveACLs > 0 && in.LivePriority >= 0:
				return false, fmt.Sprintf("frozen: old rows still decide at %d", in.LivePriority)
			case in != nil && in.LiveACLs > 0:
				return false, "frozen: old rows still decide"
			}
			why = "no rows desired: " + NoRowsShort(r, none)
			continue
		}
		missing, different := 0, 0
		want := r.ACLs(k, z.Name) // without the members of sets, which may be many
		for _, a := range want {
			switch live := z.DB.ACLByID(a.ID()); {
			case live == nil:
				missing++
			case !sameACL(a, live):
				different++
			}
		}
		if missing+different > 0 {
			why = fmt.Sprintf("%s of %s not live yet", words.Thousands(missing+different), words.Count(len(want), "ACL"))
			if in := z.PolicyJoin(k); in != nil && in.Error != "" {
				why += ": " + in.Error
			}
			return false, why
		}
	}
	return true, why
}

// isShownAsRead judges a zone whose rows are not kept. It uses what the last read found, if that was after the
// change.
func isShownAsRead(r *Revision, z *model.ZoneState, policies []model.PolicyKey) (ok bool, why string) {
	for _, k := range policies {
		if r.DesiredFor(k).Policy(k) == nil {
			continue
		}
		switch p := z.PolicyJoin(k); p.StateAt(z, z.SyncedAt) {
		case model.StateInSync:
		case model.StateStale:
			return false, "not read since the change"
		case model.StateNotEnforced:
			why = "no rows desired: " + NoRowsShort(r, p.None)
		case model.StateFrozen:
			return false, "frozen: " + frozenText(p)
		case model.StateUnknown:
			return false, "not read yet"
		default:
			return false, words.Count(DifferingRows(p), "row") + " not live yet"
		}
	}
	return true, why
}

// sameACL compares the columns that decide, and logging.
func sameACL(want, live *nb.ACL) bool {
	return !slices.ContainsFunc(nb.ACLColumns, func(c nb.ACLColumn) bool {
		return c.Name != "external_ids" && c.Name != "meter" && c.Name != "name" && !c.Same(want, live)
	})
}
