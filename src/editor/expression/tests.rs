use proptest::prelude::*;
use serde_json::json;

use super::*;

fn parse(syntax: Syntax, source: &str) -> (Expression, Vec<Problem>) {
    let mut findings = Vec::new();
    let expression = Expression::parse(syntax, source, Some("item"), "/x", &mut findings);
    (expression, findings)
}

/// Evaluates over a document as applications have them.
fn with_scope<T>(work: impl FnOnce(&Scope<'_>) -> T) -> T {
    let root = json!({
        "datasets": [{ "href": "https://a/datasets/d1", "isRest": true }, { "href": "h2" }],
        "chart": { "type": "bar", "stacked": false, "n": 3, "tags": ["a", "b"] },
        "empty": {}, "nul": null, "n": 1.50, "big": 12_345_678_901_234_567_890_u64,
    });
    let data = json!({
        "key": "k", "label": "L", "results": [{ "id": 1, "title": "One" }, { "id": 2 }],
        "a b": "spaced", "n": 6, "text": "Léa-Ève", "list": ["x", null, 3], "zero": 0, "none": "",
    });
    let context = json!({
        "adminMode": true, "role": "admin", "datasetFilter": "owner=o",
        "cities": { "fr": ["paris", "lyon"] }, "users": [{ "id": "u1", "name": "Ann" }],
    });
    let outer = Enclosing { data: Some(&root), parent: None };
    let parent = Enclosing { data: root.get("chart"), parent: Some(&outer) };
    let fuel = Fuel::new(10_000_000);
    work(&Scope {
        data: Some(&data),
        root: Some(&root),
        parent: Some(&parent),
        context: Some(&context),
        read_only: false,
        summary: true,
        fuel: &fuel,
    })
}

/// Checks the JSON of a value; `undefined` and failures by name.
#[track_caller]
fn check_as(syntax: Syntax, source: &str, expected: &str) {
    let (expression, _) = parse(syntax, source);
    let shown = match with_scope(|scope| expression.value(scope)) {
        Ok(Some(value)) => value.to_string(),
        Ok(None) => "undefined".to_owned(),
        Err(failure) => format!("{failure:?}"),
    };
    assert_eq!(shown, expected, "{source}");
}

#[track_caller]
fn check_all(table: &[(&str, &str)]) {
    for (source, expected) in table {
        check_as(Syntax::Expression, source, expected);
    }
}

#[test]
fn what_real_schemas_use() {
    check_all(&[
        ("data.label", r#""L""#),
        (r#"data["key"]"#, r#""k""#),
        ("item.label", r#""L""#),
        ("data.results", r#"[{"id":1,"title":"One"},{"id":2}]"#),
        ("!parent.data.stacked", "true"),
        ("parent.data.stacked", "false"),
        (r#"parent.data?.type === "bar""#, "true"),
        ("parent.parent.data.chart.type !== 'bar'", "false"),
        ("rootData.datasets[0].isRest", "true"),
        ("rootData.datasets[2].isRest", "Thrown"),
        ("rootData.datasets[2]?.isRest", "undefined"),
        ("rootData?.missing?.deep.er", "undefined"),
        ("rootData.missing.deep", "Thrown"),
        ("summary", "true"),
        ("!summary", "false"),
        ("context.adminMode", "true"),
        ("context.cities[parent.data.country] || []", "[]"),
        ("context.cities.fr", r#"["paris","lyon"]"#),
        (r#""d-" + context.role"#, r#""d-admin""#),
        (r#""c-" + (rootData?.n ?? 0)"#, r#""c-1.5""#),
        ("data && data.text.toUpperCase()", r#""LÉA-ÈVE""#),
        (r#"item.t ? `T: ${item.t}` : "none""#, r#""none""#),
        ("`${data.label} (${data.key.toUpperCase()})`", r#""L (K)""#),
        (r#"({ readOnly: context.role === "admin" })"#, r#"{"readOnly":true}"#),
        ("display.mobile", "true"),
        ("undefinedVar.x", "Thrown"),
        ("['bar', 'line'].includes(parent.data.type)", "true"),
        ("rootData.datasets.some(d => d.isRest)", "true"),
        ("rootData.datasets.map(d => d.href)", r#"["https://a/datasets/d1","h2"]"#),
        (
            "data.results.map(r => ({ ...r, key: r.id, title: r.title || 'none' }))",
            r#"[{"id":1,"title":"One","key":1},{"id":2,"key":2,"title":"none"}]"#,
        ),
        ("[...parent.data.tags, 'c'].concat(['d', 'e'])", r#"["a","b","c","d","e"]"#),
        ("data.text.split('-')", r#"["Léa","Ève"]"#),
        ("Array.isArray(data.list) && !Array.isArray(data)", "true"),
        ("data.text.length > 5 && data.list.length <= 3", "true"),
        ("crypto.randomUUID()", "Thrown"),
        ("parent.parent.parent", "undefined"),
        ("parent.parent.parent.data", "Thrown"),
        ("options.readOnly", "false"),
        ("typeof unknown === 'undefined'", "true"),
    ]);
}

#[test]
fn operators_follow_javascript() {
    check_all(&[
        ("1 + 2 * 3 - 4 / 2", "5"),
        ("7 % 4 + -1", "2"),
        ("'1' + 2 + 3", r#""123""#),
        ("1 + 2 + '3'", r#""33""#),
        ("0.1 + 0.2", "0.30000000000000004"),
        ("1 / 0", "null"),
        (
            "`${1 / 0} ${0 / 0} ${1e21} ${-0} ${1.50} ${null} ${undefined}`",
            r#""Infinity NaN 1e+21 0 1.5 null undefined""#,
        ),
        ("`${[1, [2, null], undefined]}|${{}}`", r#""1,2,,|[object Object]""#),
        ("rootData.n", "1.5"),
        ("rootData.big", "12345678901234567890"),
        ("+rootData.n", "1.5"),
        ("+'12' + +'' + +' 3 ' + +true", "16"),
        ("+'x'", "null"),
        ("'b' > 'a' && 2 > '1'", "true"),
        ("null == undefined && null != 0 && null !== undefined", "true"),
        ("1 == '1' && 1 !== '1' && [1] == '1'", "true"),
        ("data.results === data.results && [] !== []", "true"),
        ("NaN === NaN", "false"),
        ("0 || '' || null || 'last'", r#""last""#),
        ("0 ?? 1", "0"),
        ("null ?? 'x'", r#""x""#),
        ("data.zero && data.missing.deep", "0"),
        ("data.none ? 1 : data.zero ? 2 : 3", "3"),
        ("!![] && !!{} && !'' && !0", "true"),
        ("'key' in data && !('nokey' in data)", "true"),
        ("undefined", "undefined"),
        ("void 0", "undefined"),
        (
            "typeof data + typeof null + typeof 1 + typeof '' + typeof (x => x)",
            r#""objectobjectnumberstringfunction""#,
        ),
        ("(data.missing?.a).b", "Thrown"),
        ("data.missing?.a.b.c()", "undefined"),
        ("data.missing?.[data.nothing.at.all]", "undefined"),
        ("data.missing?.()", "undefined"),
        ("data.label?.toLowerCase?.()", r#""l""#),
        ("data.label.nomethod()", "Thrown"),
        ("data.label.nomethod?.()", "undefined"),
        ("null.x", "Thrown"),
        ("({ a: 1, 'b c': 2, [data.key]: 3, ...{ a: 9 } })", r#"{"a":9,"b c":2,"k":3}"#),
        ("[undefined, x => x]", "[null,null]"),
        ("0x10 + 1_000 + .5 + 1e3", "2016.5"),
        ("true?.5:1", "0.5"),
        (r#"'\u0041\x42\u{1F600}\n\'' + "\q""#, r#""AB😀\n'q""#),
        ("1 /* two */ + 3 // four", "4"),
        ("data.label;", r#""L""#),
    ]);
}

#[test]
fn methods_follow_javascript() {
    check_all(&[
        ("'😀a'.length + ['a'].length", "4"),
        ("'abc'[1] + 'abc'.charAt(2) + 'abc'.charAt(9)", r#""bc""#),
        ("'abcdef'.slice(1, -1) + 'abc'.slice(-1) + 'abc'.substring(2, 0)", r#""bcdecab""#),
        ("' x '.trim() + '|' + ' x '.trimStart()", r#""x|x ""#),
        ("'a-b-c'.replace('-', '+') + 'a-b-c'.replaceAll('-', '')", r#""a+b-cabc""#),
        ("'abab'.indexOf('b') + 'abab'.lastIndexOf('b') + 'a'.indexOf('z')", "3"),
        ("'abc'.startsWith('a') && 'abc'.endsWith('c') && 'abc'.includes('b')", "true"),
        ("'7'.padStart(3, '0') + 'x'.padEnd(3) + 'ab'.repeat(2)", r#""007x  abab""#),
        ("'a,b,c'.split(',', 2)", r#"["a","b"]"#),
        ("'aé'.split('')", r#"["a","é"]"#),
        ("[1, 2, 3].filter(n => n > 1).map((n, i) => n * i)", "[0,3]"),
        ("[1, 2].find(n => n > 1) + [1, 2].findIndex(n => n > 5)", "1"),
        ("[1, 2].every(n => n > 0) && ![1].some(n => n > 1)", "true"),
        ("[[1], [2, [3]]].flat().length + [1, 2].flatMap(n => [n, n]).length", "7"),
        ("[1, 2, 3].reduce((sum, n) => sum + n) + [1].reduce((s, n) => s + n, 10)", "17"),
        ("[].reduce((s, n) => s)", "Thrown"),
        ("[3, 1].reverse().at(-1) + [1, 2, 3].slice(1).join('-')", r#""32-3""#),
        ("[1, 2, '3'].includes(3)", "false"),
        ("Object.keys(parent.data).join()", r#""type,stacked,n,tags""#),
        ("Object.values({ a: 1, b: 2 })", "[1,2]"),
        ("Object.entries({ a: 1 }).map(([k, v]) => k + v)", r#"["a1"]"#),
        ("Math.max(1, 3, 2) + Math.min(1, 2) + Math.round(2.5) + Math.floor(1.9)", "8"),
        ("String(12) + Number('3') + Boolean('')", r#""123false""#),
        ("parseInt('12px') + parseFloat('1.5.2') + parseInt('3.9')", "16.5"),
        ("isNaN(Number('x'))", "true"),
        ("(1.005).toFixed(1) + (12).toString()", r#""1.012""#),
        ("JSON.stringify({ a: [1] })", r#""{\"a\":[1]}""#),
        ("encodeURIComponent('a b/é')", r#""a%20b%2F%C3%A9""#),
        ("[{ a: 1, b: { c: 2 } }].map(({ a, b: x }) => a + x.c)", "[3]"),
        ("data.list.map(String)", r#"["x","null","3"]"#),
        ("data.list.filter(Boolean)", r#"["x",3]"#),
    ]);
}

#[test]
fn templates_and_functions() {
    for (source, expected) in [
        ("datasets?q={q}&${context.datasetFilter}", r#""datasets?q={q}&owner=o""#),
        ("${rootData.datasets[0].href}/schema?a=b", r#""https://a/datasets/d1/schema?a=b""#),
        ("${rootData.missing.href}/schema", "Thrown"),
        ("${rootData.empty.href}/x", r#""undefined/x""#),
        ("a$b{c}`d\\${e}", r#""a$b{c}`d${e}""#),
        ("${`${'x'}}`}", r#""x}""#),
        ("", r#""""#),
    ] {
        check_as(Syntax::Template, source, expected);
    }
    for (source, expected) in [
        (
            "const v = rootData && rootData.n; return v > 1 && [\"admin\"].includes(context.role)",
            "true",
        ),
        ("if (!data) return null; else { const x = 1; return x }", "1"),
        ("const { key, label: l } = data\nconst [a] = ['z']\nreturn key + l + a;", r#""kLz""#),
        ("return data.results.map(r => { const id = r.id; return id + 1 })", "[2,3]"),
        ("const x = 1", "undefined"),
        ("return", "undefined"),
        ("const f = n => n ? f(n - 1) : 0; return f(3)", "Thrown"),
    ] {
        check_as(Syntax::Function, source, expected);
    }
}

#[test]
fn what_cannot_be_read_is_reported_with_its_place_and_fails() {
    for (syntax, source, what) in [
        (Syntax::Expression, "", "an end where a value is expected at character 1"),
        (Syntax::Expression, "data.", "not the name of a member at character 6"),
        (Syntax::Expression, "a b", "something after the end of the expression at character 3"),
        (Syntax::Expression, "é = 1", "something after the end of the expression at character 3"),
        (Syntax::Expression, "new Date()", "not a value that expressions can have at character 1"),
        (Syntax::Expression, "/x/.test(a)", "not a value that expressions can have at character 1"),
        (Syntax::Expression, "'abc", "a text that does not end at character 2"),
        (Syntax::Expression, "`a${b", "not the end of a hole of a template at character 6"),
        (Syntax::Expression, "a # b", "a character that has no meaning here at character 3"),
        (Syntax::Expression, "(a", "not the bracket or sign expected at character 3"),
        (
            Syntax::Function,
            "for (;;) {}",
            "a statement other than const, if and return at character 1",
        ),
        (Syntax::Template, "${a +}", "not a value that expressions can have at character 6"),
    ] {
        let (expression, findings) = parse(syntax, source);
        let shown: Vec<_> = findings.iter().map(ToString::to_string).collect();
        assert_eq!(shown, [format!("/x: the expression `{source}` cannot be used: {what}")]);
        with_scope(|scope| {
            assert_eq!(expression.value(scope), Err(Failure::Syntax));
            assert!(!expression.holds(scope));
        });
    }
}

/// Evaluates whatever comes out of a hostile text.
#[track_caller]
fn check_effort(syntax: Syntax, source: &str) {
    let (expression, findings) = parse(syntax, source);
    let result = with_scope(|scope| expression.value(scope));
    let refused = !findings.is_empty() || result == Err(Failure::Effort);
    assert!(refused, "{:?} {:?}", source.get(..60), result.map(|_| "a value"));
}

#[test]
fn length_depth_and_work_are_bounded() {
    let nest = |open: &str, inner: &str, close: &str, times: usize| {
        [open.repeat(times), inner.to_owned(), close.repeat(times)].concat()
    };
    for source in [
        nest("(", "1", ")", 5_000),
        nest("[", "1", "]", 2_000),
        nest("!", "1", "", 1_000),
        nest("`${", "1", "}`", 1_000),
        nest("a?", "1", ":1", 900),
        nest("x=>", "1", "", 900),
        nest("({a:", "1", "})", 900),
        format!("1{}", "+1".repeat(900)),
        format!("data{}", ".a".repeat(900)),
        format!("data{}", "?.a".repeat(600)),
        "a".repeat(20_000),
        "1,".repeat(4_000),
        "(f => f(f))(f => f(f))".to_owned(),
        "(f => f(f))(f => [f(f)])".to_owned(),
        nest("(a => [a, a])(", "1", ")", 40),
        nest("(a => a + a)(", "'x'", ")", 40),
        format!("{}.map(x => {0}.map(y => {0}.map(z => 1)))", "'x'.repeat(200).split('')"),
        "'x'.repeat(1e9)".to_owned(),
        "'x'.padStart(1e15)".to_owned(),
        "'x'.repeat(100000).replaceAll('', 'y'.repeat(100000))".to_owned(),
        "'x'.repeat(30000).split('').reduce((a, x) => [a], [])".to_owned(),
        "'x'.repeat(3000).split('').reduce((a, x) => ({ a }), {})".to_owned(),
        "'x'.repeat(3000).split('').reduce((f, x) => () => f, 1)".to_owned(),
    ] {
        check_effort(Syntax::Expression, &source);
    }
    check_effort(Syntax::Function, &"if(1){".repeat(1_000));
    check_effort(Syntax::Function, &"const x=1;".repeat(300));
}

fn bare<'a>(data: Option<&'a Value>, fuel: &'a Fuel) -> Scope<'a> {
    let (root, parent, context) = (None, None, None);
    Scope { data, root, parent, context, read_only: false, summary: false, fuel }
}

#[test]
fn the_fuel_of_a_scope_is_shared() {
    let (expression, _) = parse(Syntax::Expression, "'x'.repeat(90).split('').length");
    let (broken, _) = parse(Syntax::Expression, "nothing.here");
    let fuel = Fuel::new(1_000);
    let scope = bare(None, &fuel);
    let results: Vec<_> = (0..12).map(|_| expression.value(&scope).is_ok()).collect();
    assert_eq!((results.first(), results.last()), (Some(&true), Some(&false)));
    assert_eq!(broken.value(&scope), Err(Failure::Effort));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_text_is_read_and_evaluated_without_a_panic(
        parts in proptest::collection::vec(
            prop_oneof![
                Just("data"), Just("item"), Just("parent"), Just("rootData"), Just("."), Just("?."),
                Just("["), Just("]"), Just("("), Just(")"), Just("{"), Just("}"), Just("=>"),
                Just("`"), Just("${"), Just("'"), Just("\\"), Just("x"), Just("1"), Just(","),
                Just("..."), Just("?"), Just(":"), Just("+"), Just("!"), Just("==="), Just("&&"),
                Just("map"), Just("return "), Just("const "), Just(";"), Just("if"), Just("é"),
                Just("list"), Just("-"), Just("<"), Just("repeat"), Just("split"), Just("slice"),
            ],
            0..25,
        ),
        wild in ".{0,20}",
    ) {
        for source in [parts.concat(), wild] {
            for syntax in [Syntax::Expression, Syntax::Template, Syntax::Function] {
                let (expression, findings) = parse(syntax, &source);
                let result = with_scope(|scope| expression.value(scope));
                prop_assert_eq!(findings.is_empty(), result != Err(Failure::Syntax));
                with_scope(|scope| { let _ = (expression.url(scope), expression.filled(scope)); });
            }
        }
    }
}

/// Steps that an expression takes over values of a size.
fn steps(source: &str, size: usize) -> usize {
    let (expression, findings) = parse(Syntax::Expression, source);
    assert!(findings.is_empty(), "{source}: {findings:?}");
    let text = "ab-".repeat(size / 3);
    let names = (0..size).map(|n| (format!("k{n}"), Value::Null)).collect();
    let digits = format!("[{}]", "1".repeat(size)).parse::<Value>().unwrap();
    let data = json!({
        "list": vec![Value::Null; size], "text": text, "same": text, "lists": [[text], [text, 1]],
        "names": Value::Object(names), "number": digits[0], "numbers": [1, digits[0]],
    });
    let fuel = Fuel::new(MAX_STEPS);
    let scope = bare(Some(&data), &fuel);
    let value = expression.evaluate(&scope, &|_, _| Ok(()));
    assert!(matches!(value, Ok(()) | Err(Failure::Effort)), "{source}: {value:?}");
    MAX_STEPS - fuel.0.get()
}

#[test]
fn steps_grow_with_what_is_worked_on() {
    for source in [
        "JSON.stringify(data.list)",
        "JSON.stringify(data.names)",
        "JSON.stringify(data.text)",
        "JSON.stringify(data.numbers)",
        "data.text.length",
        "data.text[data.text.length - 1]",
        "data.text[1]",
        "data.text.includes('z')",
        "data.text.indexOf('z')",
        "data.text.lastIndexOf('z')",
        "data.text.startsWith(data.same)",
        "data.text.toUpperCase()",
        "data.text.trim()",
        "data.text.split('-')",
        "data.text.split('')",
        "data.text.replace('z', 'y')",
        "data.text.replaceAll('a', 'b')",
        "data.text.slice(2)",
        "data.text.padEnd(10)",
        "data.text.concat('a')",
        "data.text + 'a'",
        "`${data.text}`",
        "`${data.list}`",
        "+data.text",
        "data.text * 2",
        "parseInt(data.text)",
        "data.text === data.same",
        "data.text < data.same",
        "data.text == data.list",
        "[data.text].includes(data.same)",
        "[data.text].indexOf(data.same)",
        "encodeURIComponent(data.text)",
        "String(data.list)",
        "data.list + ''",
        "data.list == 'x'",
        "data.list.join('')",
        "data.list.includes(1)",
        "data.list.indexOf(1)",
        "data.list.slice(1)",
        "data.list.reverse()",
        "data.list.concat(data.list)",
        "[].concat(data.list)",
        "[data.list].flat()",
        "[1].flatMap(i => data.list)",
        "data.list.map(i => i)",
        "data.list.some(i => i)",
        "[...data.list]",
        "Math.max(...data.list)",
        "({ ...data.names })",
        "({ ...data.names }).k0",
        "Object.keys(data.names)",
        "Object.values(data.names)",
        "Object.entries(data.names)",
        "!data.number",
        "data.number + 1",
        "data.numbers.includes(2)",
        "({ [data.text]: 1 })",
        "data[data.text]",
    ] {
        let (small, large) = (steps(source, 300), steps(source, 30_000));
        let bytes = 30_000 - 300;
        assert!(large - small >= bytes / BYTES_PER_STEP - 1, "{source}: {small}, {large}");
    }
}

#[test]
fn what_is_looked_up_again_costs_again() {
    let lookups = |members: usize| {
        let members = (0..members).map(|n| format!("k{n}: 1")).collect::<Vec<_>>().join(", ");
        let source = format!("[{{ {members} }}].map(o => data.list.map(i => o.none))");
        steps(&source, 300) - steps(&source, 100)
    };
    assert!(lookups(200) - lookups(1) > 200 * 199 / BYTES_PER_STEP);
}

#[test]
fn lists_are_not_made_longer_than_they_may_cost() {
    let lists = vec!["data.list"; 100].join(", ");
    for source in [
        format!("[].concat({lists})"),
        format!("[{lists}].flat()"),
        format!("[{lists}].flatMap(l => l)"),
        format!("[...{}]", lists.replace(", ", ", ...")),
        format!("'a'.repeat({})", 1_u64 << 40),
    ] {
        assert_eq!(steps(&source, 3000), MAX_STEPS);
    }
}
