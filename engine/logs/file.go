package logs

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"rung/model"
	"rung/model/logline"
	"rung/model/words"
)

const (
	// MaxFile bounds the bytes of a file of counts.
	MaxFile = 8 << 20
	// keptPairs bounds the pairs written, most hits first; the remaining hits are summed. With the longest names the
	// file stays below MaxFile.
	keptPairs = 8000
	keptRules = 2000
	// longestName bounds names in a file: namespace and pod, or an address.
	longestName = 320

	fileVersion = 1
)

// ErrFile marks a file without valid counts, or with contradictory ones.
var ErrFile = errors.New("not a file of saved rule hits")

type countsFile struct {
	Version int        `json:"version"`
	From    time.Time  `json:"from"`
	Unknown uint64     `json:"unknown,omitempty"`
	Over    uint64     `json:"over,omitempty"`
	Rules   []fileRule `json:"rules"`
}

type fileRule struct {
	Kind      model.Kind      `json:"kind"`
	Namespace string          `json:"namespace,omitempty"`
	Name      string          `json:"name,omitempty"`
	Direction model.Direction `json:"direction,omitempty"`
	Rule      int             `json:"rule"`
	Verdict   string          `json:"verdict"`
	LineHits
	Pairs []PairHits `json:"pairs,omitempty"`
	Rest  uint64     `json:"rest,omitempty"`
}

// Encode encodes the counts, but not the counts by minute.
func (c *Counter) Encode() ([]byte, error) {
	out := countsFile{Version: fileVersion, From: c.From.UTC(), Unknown: c.Unknown, Over: c.UncountedLines}
	all := c.RulesWithPairs()
	for len(all) > keptRules {
		out.Over += all[len(all)-1].Count
		all = all[:len(all)-1]
	}
	least := leastKeptHits(all)
	room := keptPairs
	for i := range all {
		r := &all[i]
		f := fileRule{Kind: r.Ref.Policy.Kind, Namespace: r.Ref.Policy.Namespace, Name: r.Ref.Policy.Name,
			Direction: r.Ref.Direction, Rule: r.Ref.Rule, Verdict: r.Verdict, LineHits: r.LineHits.inUTC(), Rest: r.UncountedPairs}
		for j := range r.Pairs {
			p := &r.Pairs[j]
			if p.Count < least || room == 0 {
				f.Rest += p.Count
				continue
			}
			room--
			f.Pairs = append(f.Pairs, PairHits{p.Pair, p.LineHits.inUTC()})
		}
		out.Rules = append(out.Rules, f)
	}
	text, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("writing the counts of rules: %w", err)
	}
	return append(text, '\n'), nil
}

// leastKeptHits returns the smallest number of hits of a pair to write.
func leastKeptHits(all []RuleHits) uint64 {
	var counts []uint64
	for i := range all {
		for j := range all[i].Pairs {
			counts = append(counts, all[i].Pairs[j].Count)
		}
	}
	if len(counts) <= keptPairs {
		return 0
	}
	slices.SortFunc(counts, func(a, b uint64) int { return cmp.Compare(b, a) })
	return counts[keptPairs-1]
}

// inUTC returns the hits without their minutes.
func (h *LineHits) inUTC() LineHits {
	return LineHits{Count: h.Count, First: h.First.UTC(), Last: h.Last.UTC()}
}

// Decode decodes counts and checks them: each hit has its times, names are clean and not too long, and hits of
// pairs and rest add up to the rule's hits. Any error is an ErrFile.
func Decode(text []byte, now time.Time) (*Counter, error) {
	wrong := func(format string, args ...any) (*Counter, error) {
		return nil, fmt.Errorf("%w: %s", ErrFile, fmt.Sprintf(format, args...))
	}
	if len(text) > MaxFile {
		return wrong("%s, at most %s are read", words.Count(len(text), "byte"), words.Thousands(MaxFile))
	}
	var in countsFile
	if err := json.Unmarshal(text, &in); err != nil {
		return wrong("not the JSON that rung writes")
	}
	switch {
	case in.Version != fileVersion:
		return wrong("version %d, this Rung reads %d", in.Version, fileVersion)
	case in.From.IsZero() || in.From.After(now):
		return wrong("the start of counting is missing or in the future")
	case len(in.Rules) > keptRules:
		return wrong("%s, at most %s are kept", words.Count(len(in.Rules), "rule"), words.Thousands(keptRules))
	}
	c := NewHits(in.From)
	c.HasEarlier, c.Unknown, c.UncountedLines = true, in.Unknown, in.Over
	for i := range in.Rules {
		f := &in.Rules[i]
		r := Rule{logline.RuleRef{Policy: model.PolicyKey{Kind: f.Kind, Namespace: f.Namespace, Name: f.Name},
			Direction: f.Direction, Rule: f.Rule, Exact: true}, f.Verdict}
		x := c.rules[r]
		switch {
		case x != nil:
			return wrong("rule %d is a duplicate", i)
		case !f.Kind.IsPolicy() || f.Rule < -1 || !namesClean(f.Namespace, f.Name, string(f.Direction), f.Verdict) || !f.isPlausible(now):
			return wrong("rule %d is invalid", i)
		case len(f.Pairs) > keptPairs-c.pairs:
			return wrong("more than %d pairs", keptPairs)
		}
		x = c.ruleEntry(r)
		x.LineHits, x.uncountedPairs = f.LineHits.inUTC(), f.Rest
		sum := f.Rest
		for _, p := range f.Pairs {
			if x.pairs[p.Pair] != nil || !namesClean(p.From, p.To, p.Traffic) || !p.isPlausible(now) || p.Count > f.Count {
				return wrong("rule %d has an invalid pair", i)
			}
			*c.pairEntry(x, p.Pair) = p.LineHits.inUTC()
			sum += p.Count
			if sum > f.Count {
				break // before the sum can overflow
			}
		}
		if sum != f.Count {
			return wrong("rule %d has %s, its pairs %s", i, words.Count(f.Count, "hit"), words.Thousands(sum))
		}
	}
	return c, nil
}

// isPlausible reports whether a hit is possible: a count may have at most a quarter of the number range, so
// that no sum overflows.
func (h *LineHits) isPlausible(now time.Time) bool {
	return h.Count > 0 && h.Count < 1<<62 && !h.First.IsZero() && !h.Last.Before(h.First) && !h.Last.After(now.Add(time.Hour))
}

func namesClean(texts ...string) bool {
	return !slices.ContainsFunc(texts, func(s string) bool { return len(s) > longestName || !words.IsClean(s) })
}
