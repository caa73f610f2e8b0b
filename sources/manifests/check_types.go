package manifests

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"rung/model/words"
)

// valueShape is the required form of a value.
type valueShape uint8

const (
	shapeAny valueShape = iota
	shapeStruct
	shapeMap
	shapeList
	shapeString
	shapeInt
	shapeFloat
	shapeBool
	shapeTime
	shapeMicroTime
	shapeIntOrString
	shapeQuantity
)

func (s valueShape) String() string {
	return [...]string{"anything", "a mapping", "a mapping", "a list", "a string", "a whole number", "a number", "true or false",
		"a time", "a time", "a whole number or a string", "a quantity"}[s]
}

// typeInfo describes a Go API type for strict decoding.
type typeInfo struct {
	shape  valueShape
	bits   int // of an integer, also in shapeIntOrString
	elem   *typeInfo
	fields map[string]*typeInfo
	names  []string // field names, sorted
}

var (
	typesMu sync.Mutex
	types   = map[reflect.Type]*typeInfo{}
)

// describeType describes an API type; descriptions are cached.
func describeType(t reflect.Type) *typeInfo {
	typesMu.Lock()
	defer typesMu.Unlock()
	return findTypeInfo(t)
}

// ownShapes are the forms of types that read themselves.
var ownShapes = map[reflect.Type]typeInfo{
	reflect.TypeFor[metav1.Time]():        {shape: shapeTime},
	reflect.TypeFor[metav1.MicroTime]():   {shape: shapeMicroTime},
	reflect.TypeFor[intstr.IntOrString](): {shape: shapeIntOrString, bits: 32},
	reflect.TypeFor[resource.Quantity]():  {shape: shapeQuantity},
}

func findTypeInfo(t reflect.Type) *typeInfo {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if ti := types[t]; ti != nil {
		return ti
	}
	own := ownShapes[t]
	ti := &own
	types[t] = ti                                                             // before the fields, since types may contain themselves
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) { // t's methods are *t's too
		return ti
	}
	switch t.Kind() {
	case reflect.Struct:
		ti.shape = shapeStruct
		ti.fields = map[string]*typeInfo{}
		ti.addFields(t)
		ti.names = slices.Sorted(maps.Keys(ti.fields))
	case reflect.Map:
		ti.shape, ti.elem = shapeMap, findTypeInfo(t.Elem())
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			ti.shape = shapeString
			break
		}
		ti.shape, ti.elem = shapeList, findTypeInfo(t.Elem())
	case reflect.String:
		ti.shape = shapeString
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		ti.shape, ti.bits = shapeInt, t.Bits()
	case reflect.Float32, reflect.Float64:
		ti.shape = shapeFloat
	case reflect.Bool:
		ti.shape = shapeBool
	}
	return ti
}

func (ti *typeInfo) addFields(t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, hasTag := f.Tag.Lookup("json")
		name, opts, _ := strings.Cut(tag, ",")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
			continue
		case f.Anonymous && (name == "" || strings.Contains(opts, "inline")):
			ft := f.Type
			for ft.Kind() == reflect.Pointer {
				ft = ft.Elem()
			}
			if ft.Kind() == reflect.Struct {
				ti.addFields(ft)
				continue
			}
		case !hasTag || name == "":
			name = f.Name
		}
		if _, have := ti.fields[name]; !have {
			ti.fields[name] = findTypeInfo(f.Type)
		}
	}
}

// NearestName returns the name that differs in case, or within two edits and a third of its length; else "".
func NearestName(names []string, name string) string {
	best, bestDist := "", 3
	for _, n := range names {
		if strings.EqualFold(n, name) {
			return n
		}
		if d := words.EditDistance(strings.ToLower(n), strings.ToLower(name), bestDist); d < bestDist && d*3 < len(n) {
			best, bestDist = n, d
		}
	}
	return best
}
