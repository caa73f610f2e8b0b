package lint

import (
	"regexp"
	"testing"

	"rung/model"
)

// Every kind of finding has a code of its own, a sentence, and words short enough for a column.
func TestKinds(t *testing.T) {
	if len(Kinds) < 60 {
		t.Errorf("only %d kinds", len(Kinds))
	}
	kebab, sentence := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`), regexp.MustCompile(`^[A-Z].*[.]$|^[A-Z].*[.)]\.$`)
	for _, k := range Kinds {
		if KindOfCode(k.Code) != k || !kebab.MatchString(k.Code) {
			t.Errorf("%q is the code of another kind, or in no kebab-case", k.Code)
		}
		if n := len(k.Short); n == 0 || n > 12 || ShortCode(k.Code) != k.Short {
			t.Errorf("%s in %d letters: %q", k.Code, n, k.Short)
		}
		if !sentence.MatchString(k.Meaning) {
			t.Errorf("%s has no sentence: %q", k.Code, k.Meaning)
		}
		switch k.Severity {
		case model.SeverityError, model.SeverityWarning, model.SeverityInfo:
		default:
			t.Errorf("%s has the severity %q", k.Code, k.Severity)
		}
	}
	if got := ShortCode("unknown-field"); got != "unknown field" {
		t.Errorf("a code of what could not be read: %q", got)
	}
	if CompareRank("unknown-field", PriorityConflict.Code) >= 0 || CompareRank(DNSNotAllowed.Code, PrimaryUDN.Code) >= 0 || CompareRank(CIDR.Code, CIDR.Code) != 0 {
		t.Error("what could not be read is not worth most")
	}
}
