package model

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseLogging(t *testing.T) {
	const unmarshal = "could not unmarshal ANP ACL annotation '"
	tests := []struct {
		name, raw string
		absent    bool
		want      LogLevels
		wantErr   string
	}{
		{name: "absent", absent: true, raw: "nonsense"},
		{name: "empty", raw: ""},
		{name: "empty object", raw: "{}"},
		{name: "null", raw: "null"},
		{name: "null field", raw: `{"deny":null,"allow":"info"}`, want: LogLevels{Allow: "info"}},
		{name: "all", raw: `{"allow":"info","deny":"alert","pass":"debug"}`, want: LogLevels{"info", "alert", "debug"}},
		{name: "one", raw: `{"deny":"warning"}`, want: LogLevels{Deny: "warning"}},
		{name: "empty level", raw: `{"deny":"","pass":"notice"}`, want: LogLevels{Pass: "notice"}},
		{name: "names in any case", raw: `{"DENY":"alert","Allow":"info"}`, want: LogLevels{Allow: "info", Deny: "alert"}},
		{name: "the last of two names", raw: `{"deny":"alert","DENY":"info"}`, want: LogLevels{Deny: "info"}},
		{name: "unknown names", raw: `{"deny":"alert","reject":"loud","x":[1]}`, want: LogLevels{Deny: "alert"}},
		{name: "spread over lines", raw: "{\n\t\"deny\": \"alert\"\n}", want: LogLevels{Deny: "alert"}},
		{name: "not JSON", raw: "foobar",
			wantErr: unmarshal + `foobar', disabling logging, err: "invalid character 'o' in literal false (expecting 'a')"`},
		{name: "cut off", raw: `{"deny":`, wantErr: unmarshal + `{"deny":', disabling logging, err: "unexpected end of JSON input"`},
		{name: "array", raw: "[]",
			wantErr: unmarshal + `[]', disabling logging, err: "json: cannot unmarshal array into Go value of type util.ACLLoggingLevels"`},
		{name: "a bare level", raw: `"alert"`,
			wantErr: unmarshal + `"alert"', disabling logging, err: "json: cannot unmarshal string into Go value of type util.ACLLoggingLevels"`},
		{name: "number", raw: `{"deny":1}`,
			wantErr: unmarshal + `{"deny":1}', disabling logging, err: "json: cannot unmarshal number into Go struct field ACLLoggingLevels.deny of type string"`},
		{name: "level in capitals", raw: `{"deny":"ALERT"}`,
			wantErr: `disabling deny logging due to an invalid deny annotation. "ALERT" is not a valid log severity`},
		{name: "a good level does not save a bad one", raw: `{"deny":"alert","pass":"warn"}`,
			wantErr: `disabling pass logging due to an invalid pass annotation. "warn" is not a valid log severity`},
		{name: "several", raw: `{"pass":"c","allow":"b","deny":"a\n"}`,
			wantErr: `[disabling deny logging due to an invalid deny annotation. "a\n" is not a valid log severity, ` +
				`disabling allow logging due to an invalid allow annotation. "b" is not a valid log severity, ` +
				`disabling pass logging due to an invalid pass annotation. "c" is not a valid log severity]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ParseLogging(tt.raw, !tt.absent)
			text := ""
			if err != nil {
				text = err.Error()
			}
			if diff := cmp.Diff(tt.wantErr, text); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("levels (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPolicyLogLevels(t *testing.T) {
	p := &Policy{Meta: Meta{Key: Key{Kind: KindANP, Name: "secure"}}, Logging: `{"deny":"x"}`, HasLogging: true}
	tail := `disabling deny logging due to an invalid deny annotation. "x" is not a valid log severity`
	for kind, want := range map[Kind]string{
		KindANP:  "cannot parse ANP ACL logging annotation, disabling it for ANP secure: " + tail,
		KindBANP: "cannot parse BANP ACL logging annotation, disabling it for BANP secure: " + tail,
		KindNP:   "",
		KindEF:   "",
	} {
		p.Kind = kind
		_, err := p.LogLevels()
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: error %q, want %q", kind, got, want)
		}
	}
}

func TestLogLevels(t *testing.T) {
	tests := []struct {
		levels           LogLevels
		text, annotation string
	}{
		{LogLevels{}, "off", "{}"},
		{LogLevels{"alert", "alert", "alert"}, "alert", `{"allow":"alert","deny":"alert","pass":"alert"}`},
		{LogLevels{Allow: "info", Deny: "alert"}, "deny=alert allow=info", `{"allow":"info","deny":"alert"}`},
		{LogLevels{Pass: "debug"}, "pass=debug", `{"pass":"debug"}`},
		{LogLevels{Deny: `a"b`}, `deny=a"b`, `{"deny":"a\"b"}`},
	}
	for _, tt := range tests {
		if got := tt.levels.String(); got != tt.text {
			t.Errorf("%+v: text %q, want %q", tt.levels, got, tt.text)
		}
		if got := tt.levels.AnnotationText(); got != tt.annotation {
			t.Errorf("%+v: annotation %s, want %s", tt.levels, got, tt.annotation)
		}
		if got, want := tt.levels.IsOn(), tt.text != "off"; got != want {
			t.Errorf("%+v: any %v", tt.levels, got)
		}
	}
	if got := (LogLevels{Allow: "info"}).ForAction("Reject"); got != "" {
		t.Errorf("unknown action logs with %q", got)
	}
}

func FuzzLoggingAnnotation(f *testing.F) {
	for _, s := range []string{"", "{}", "null", `{"deny":"alert"}`, `{"DENY":"alert","allow":"","pass":null}`,
		`{"deny":1}`, "[]", `{"deny":"ALERT"}`, "foobar", `{"deny":"alert"} `, `{"deny":"alert"}x`, "{\"deny\":\"\\u0000\"}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		l, err := ParseLogging(raw, true)
		if err != nil {
			if l.IsOn() {
				t.Fatalf("levels %+v besides the error %v", l, err)
			}
			if text := err.Error(); !strings.Contains(text, "disabling") {
				t.Fatalf("error without its consequence: %q", text)
			}
			return
		}
		for _, a := range []Action{Allow, Deny, Pass} {
			if !ValidLogLevel(l.ForAction(a)) {
				t.Fatalf("%s has the invalid level %q", a, l.ForAction(a))
			}
		}
		if raw != "" && !json.Valid([]byte(raw)) {
			t.Fatalf("%q is not JSON and was taken", raw)
		}
		again, err := ParseLogging(l.AnnotationText(), true)
		if err != nil || again != l {
			t.Fatalf("%+v written as %s reads %+v, %v", l, l.AnnotationText(), again, err)
		}
	})
}
