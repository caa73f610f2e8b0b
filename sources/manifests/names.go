package manifests

import (
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation"

	"rung/model"
	"rung/model/words"
)

// namesChecked are kinds whose names become parts of other names: of zones, files, switch ports and port
// groups. A real API server has checked them; a file or a fake server has not. Gate 1 checks whole policies.
var namesChecked = map[model.Kind]bool{model.KindNamespace: true, model.KindNode: true, model.KindPod: true,
	model.KindService: true, model.KindEndpointSlice: true,
	model.KindUDN: true, model.KindCUDN: true, model.KindNAD: true,
	model.KindTier: true, model.KindClusterGroup: true, model.KindGroup: true}

// CheckName returns the problem with the name or namespace of an object, or nil.
func CheckName(k model.Kind, namespace, name string) *Issue {
	if !namesChecked[k] {
		return nil
	}
	for _, f := range []struct{ field, value string }{{"metadata.name", name}, {"metadata.namespace", namespace}} {
		if f.value != "" && len(validation.IsDNS1123Subdomain(f.value)) > 0 {
			return &Issue{Severity: model.SeverityError, Code: CodeMetadata, Field: f.field,
				Message: strconv.Quote(shortName(f.value)) + " is not a valid name: lower-case letters, digits, '-' and '.', each part " +
					"beginning and ending with a letter or digit, at most " + strconv.Itoa(validation.DNS1123SubdomainMaxLength) + " characters"}
		}
	}
	return nil
}

// shortName shortens a name for messages.
func shortName(s string) string {
	const most = 60
	s = words.CleanText(s)
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// ShortKey returns the key, with short names, of an object skipped for its name.
func ShortKey(k model.Key) model.Key {
	k.Namespace, k.Name = shortName(k.Namespace), shortName(k.Name)
	return k
}
