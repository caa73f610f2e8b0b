package engine

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"rung/engine/logs"
	"rung/model/logline"
	"rung/revision"
)

// mostSeries bounds the rules with their own counter, since names come from log lines. All other hits count
// under the policy "other".
const mostSeries = 1000

var (
	ruleHits = metricDesc("rung_rule_hits_total", "ACL log lines by the rule that decided. Rules beyond the first 1000 are counted as "+
		"policy \"other\".",
		"policy", "rule", "verdict")
	logLines = metricDesc("rung_log_lines_total", "ACL log lines received, by result.", "result")
)

// hitSeries holds the rules with a counter: the first rules hit keep theirs.
type hitSeries map[logs.Rule]bool

// collectHits sends the hits of rules and the number of log lines by result.
func (m *Health) collectHits(ch chan<- prometheus.Metric) {
	count := func(d *prometheus.Desc, n uint64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), labels...)
	}
	rules, over := m.logs.RuleHits()
	all := over
	m.mu.Lock()
	for _, r := range rules {
		all += r.Count
		if !m.hits[r.Rule] && len(m.hits) < mostSeries {
			if m.hits == nil {
				m.hits = hitSeries{}
			}
			m.hits[r.Rule] = true
		}
		if !m.hits[r.Rule] {
			over += r.Count
			continue
		}
		count(ruleHits, r.Count, r.Ref.Policy.String(), ruleLabel(r.Ref), r.Verdict)
	}
	m.mu.Unlock()
	if over > 0 {
		count(ruleHits, over, "other", "", "")
	}
	st := m.logs.Stats()
	count(logLines, all, "counted")
	count(logLines, st.Unattributed, "rule unknown")
	count(logLines, st.Dropped, "dropped")
	count(logLines, st.Unparsed, "unread")
}

// ruleLabel returns "egress 5", or "default deny, egress" for a namespace's default deny.
func ruleLabel(ref logline.RuleRef) string {
	if ref.Rule < 0 {
		return fmt.Sprintf("default deny, %s", ref.Direction.Lower())
	}
	return revision.RuleLabel(ref.Direction, ref.Rule, "")
}
