package activity

import (
	"encoding/json"
	"testing"
	"time"

	"rung/model"
)

// A session that is over and whose level somebody changed is told as both; the levels of a
// namespace are those that OVN-Kubernetes takes, a policy's that cannot be read its text.
func TestTold(t *testing.T) {
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	stands := &LogSession{Changed: true, Over: true, Until: model.Stamp{Time: now.Add(-time.Minute)}, now: now}
	if got := stands.whyWrong(); got != "expired; the level was changed meanwhile and stays" {
		t.Error(got)
	}
	for k, want := range map[model.Kind]string{model.KindNamespace: "deny=info", model.KindANP: `{"allow":"loud","deny":"info"}`} {
		if got := levelsText(model.Key{Kind: k}, `{"allow":"loud","deny":"info"}`); got != want {
			t.Errorf("%s: %q", k, got)
		}
	}
	raw, err := json.Marshal(&LogSession{Until: model.Stamp{Time: now}})
	if want := `{"kind":"","name":"","by":"","until":"2026-11-26T12:00:00.000Z","former":null,"changed":false,"over":false}`; err != nil || string(raw) != want {
		t.Errorf("%s, %v", raw, err)
	}
}
