package dialect

import (
	"time"

	"rung/model"
)

// Elsewhere is how a policy comes to a network besides the default one.
type Elsewhere struct {
	HasNoAddresses bool
	Attachments    []Attachment // the NetworkAttachmentDefinitions of the network
	// Own says which of them bring the policy there, by key.
	Own map[string]bool
}

// Attachment is a NetworkAttachmentDefinition with when it was made, zero where that is not known.
type Attachment struct {
	Key     string
	Created time.Time
}

// explainNotTaken explains a policy of which a network's controller has programmed nothing, though it
// should: it was there before what brings it to a network that ran already
// (networks.md#namespaces, #multinetworkpolicy), or it was refused before (#defects).
func explainNotTaken(p *model.PolicyInZone, f *Facts) []*DiffCause {
	if p.LiveACLs > 0 {
		return nil
	}
	for i := range p.Diffs {
		if p.Diffs[i].Kind != model.DiffMissing {
			return nil
		}
	}
	key := f.Elsewhere.lateFor(f.Policy.Created)
	switch multi := f.Policy.Kind == model.KindMNP; {
	case key != "" && multi:
		return causeForAll(p, &DiffCause{AttachedLate, key + " is younger than the policy and than the network"})
	case key != "":
		return causeForAll(p, &DiffCause{JoinedLate, key + " is younger than the policy and than the network"})
	case multi && f.Elsewhere.HasNoAddresses && f.Refused:
		return causeForAll(p, &DiffCause{Defect: NotTakenBack})
	}
	return nil
}

// lateFor is the NetworkAttachmentDefinition that brings a policy to the network and is younger than both;
// empty where one that is as old as either does, or where that is not known.
func (e *Elsewhere) lateFor(policy time.Time) (late string) {
	if policy.IsZero() {
		return ""
	}
	first := time.Time{} // when the network began to run
	for _, a := range e.Attachments {
		if a.Created.IsZero() {
			return ""
		}
		if first.IsZero() || a.Created.Before(first) {
			first = a.Created
		}
	}
	for _, a := range e.Attachments {
		switch {
		case !e.Own[a.Key]:
		case !a.Created.After(policy) || !a.Created.After(first):
			return ""
		case late == "":
			late = a.Key
		}
	}
	return late
}
