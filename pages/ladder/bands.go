package ladder

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"rung/model"
	"rung/model/ladder"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
	"rung/themes"
)

// addBands adds the lines of a cluster whose plugin has its own tiers: the tiers in order, with the
// NetworkPolicies of Kubernetes among them.
func (b *ladderBuilder) addBands() {
	bands := revision.LadderBands(b.rev)
	if b.Carried.Name != "" {
		bands = b.withCarried(bands)
	}
	for _, band := range bands {
		name := band.Name + " " + strconv.Itoa(int(band.Priority))
		switch {
		case band.Name == string(model.KindNP):
			name = page.None.Text
		case band.Missing: // it has no priority
			name = band.Name
		}
		head := b.addLine(&Line{Kind: Band, ID: band.Name, Band: name, Title: band.Name + " · " + bandText(&band, b.rev)})
		if band.Tier != nil && !band.Tier.Static {
			head.Key = band.Tier.Key
		}
		for i := range band.Rungs {
			for j := range band.Rungs[i].Policies {
				head.Open = true
				b.addBandPolicy(&band, &band.Rungs[i], j).Band = name
			}
		}
	}
}

// withCarried returns the bands with the carried policy at its new place.
func (b *ladderBuilder) withCarried(bands []ladder.Band) []ladder.Band {
	out := slices.Clone(bands)
	var carried *ladder.RungPolicy
	for i := range out {
		rungs := make([]ladder.BandRung, 0, len(out[i].Rungs)+1)
		for _, r := range out[i].Rungs {
			if at := slices.IndexFunc(r.Policies, func(p ladder.RungPolicy) bool { return p.Policy.Key == b.Carried }); at >= 0 {
				carried = &r.Policies[at]
				r.Policies = slices.Delete(slices.Clone(r.Policies), at, at+1)
				r.Tied = len(r.Policies) > 1
			}
			if len(r.Policies) > 0 {
				rungs = append(rungs, r)
			}
		}
		out[i].Rungs = rungs
	}
	for i := range out {
		if out[i].Name != b.AtPlace.Tier || out[i].Tier == nil && !out[i].Missing || carried == nil {
			continue
		}
		at, is := slices.BinarySearchFunc(out[i].Rungs, b.AtPlace.Priority, func(r ladder.BandRung, p float64) int {
			return cmp.Compare(r.Priority, p)
		})
		if is {
			r := &out[i].Rungs[at]
			r.Policies, r.Tied = append(slices.Clone(r.Policies), *carried), true
		} else {
			out[i].Rungs = slices.Insert(out[i].Rungs, at, ladder.BandRung{Priority: b.AtPlace.Priority, Policies: []ladder.RungPolicy{*carried}})
		}
	}
	return out
}

// bandText returns the text behind a band's name in its heading.
func bandText(band *ladder.Band, r *revision.Revision) string {
	s, count, n := r.System, noPolicies, band.PolicyCount()
	if n > 0 {
		count = words.Count(n, "policy")
	} else if u := r.Unread(s.CountedKinds...); u != nil {
		count = u.Text()
	}
	switch {
	case band.Missing:
		return "no such tier: " + words.OneOrMany(band.PolicyCount(), "it decides", "they decide") + " nothing"
	case band.Name == string(model.KindNP):
		return "after tier " + s.TiersAroundNetpol[0] + " · " + count
	case band.Tier == nil:
		return "at " + strconv.Itoa(int(band.Priority)) + " · " + count
	case !band.Tier.Static:
		return fmt.Sprintf("tier %d, custom · %s", band.Priority, count)
	}
	return fmt.Sprintf("tier %d · %s", band.Priority, count)
}

const noPolicies = "no policies"

// addBandPolicy adds a policy of a band.
func (b *ladderBuilder) addBandPolicy(band *ladder.Band, r *ladder.BandRung, i int) *Line {
	rp := &r.Policies[i]
	p := rp.Policy
	l := b.addLine(&Line{Kind: Policy, ID: PolicyID(p.Key), Key: p.Key, Policy: p, Subject: p.SubjectText(), Ingress: rp.Ingress,
		Egress: rp.Egress,
		Label:  p.Key.Label(), Sign: page.Span{Text: "─", Role: themes.Dim}, State: page.None, Rank: 9, PodsKnown: true, Compiled: true,
		Pods: revision.CountSubjects(b.rev, p.Key).Pods,
		Name: page.Cell{Text: p.Kind.Abbreviation() + " ", Role: themes.Dim, More: page.Line{{Text: p.NamespacedName(), Role: themes.Accent}}}})
	switch {
	case band.Missing:
		l.Sign.Text = words.No
	case r.Tied:
		l.Sign.Text = b.policySign(&ladder.Rung{Policies: r.Policies}, i)
	}
	if p.Kind != model.KindNP {
		l.Order = strconv.FormatFloat(r.Priority, 'g', -1, 64)
	} else if !b.Screen {
		l.Order = page.None.Text
	}
	if a := p.Tiered; a != nil {
		if a.Phase != "" {
			l.State = page.Cell{Text: fmt.Sprintf("%s %s/%s", a.Phase, words.Thousands(a.NodesRealized), words.Thousands(a.NodesDesired)),
				Role: themes.Text}
		}
		logging := revision.PolicyLogging(b.rev, p)
		if logging.Levels.IsOn() {
			l.Log = []page.Cell{{Text: "on", Role: themes.Info}}
		}
		if left := logging.TimeLeftText(b.Now); left != "" {
			l.Log = append(l.Log, page.Cell{Text: left, Role: themes.Warn})
		}
	}
	unjudged := revision.WhyUnjudged(b.rev, p)
	if band.Missing {
		unjudged = &revision.Unjudged{Sign: words.No, State: "decides nothing", Why: "no such tier"}
	}
	if unjudged != nil {
		role := words.Choose(unjudged.Sign == words.Unknown, themes.Warn, themes.Error)
		l.State, l.Rank = page.Cell{Text: unjudged.State, Role: role}, 0
	}
	if a := p.Tiered; b.Screen && (unjudged != nil || a != nil && a.NodesRealized < a.NodesDesired) {
		l.Marks = []LineMark{{Cell: l.State, Count: 1}}
	}
	b.addNotes(l, nil, rp)
	if !b.Screen {
		if unjudged != nil {
			l.Marks = append(l.Marks, LineMark{Cell: page.Cell{Text: unjudged.Sign + " " + unjudged.State + ": " + unjudged.Why}})
		}
		if r.Tied {
			l.Marks = append(l.Marks, LineMark{Cell: page.Cell{Text: fmt.Sprintf("= %s at %g", words.Count(len(r.Policies), "policy"), r.Priority)}})
		}
	}
	if p.Key == b.Carried {
		l.Sign, l.Name = page.Span{Text: words.Carried, Role: themes.Key}, page.Cell{Text: p.Label(), Role: themes.Title}
		mark := page.Cell{Text: "← free", Role: themes.Key}
		switch {
		case p.Tiered.Tier == b.AtPlace.Tier && p.Tiered.Priority == b.AtPlace.Priority:
			mark.Text = "← moving"
		case len(r.Policies) > 1:
			mark = page.Cell{Text: fmt.Sprintf("← = %s at %s", words.Thousands(len(r.Policies)), words.Number(r.Priority)), Role: themes.Warn}
		}
		l.Notes, l.Marks = nil, []LineMark{{Cell: mark}}
	}
	return l
}
