//! The routes of a view: their names in the log, and whether forms can be used there.

use super::views::Want;
use crate::config::{Config, Route, Upstream};
use crate::tool::{Plan, Tool};

/// Paths that are named before the rest is left out.
const MOST_PATHS: usize = 10;

/// The routes with this view, whether by configuration or by route metadata.
fn of<'c>(config: &'c Config, wants: &[Want], view: &str) -> Vec<&'c Route> {
    let is_wanted = |index: usize, route: &Route| {
        let mut own = wants.iter().filter(|want| want.route == index);
        own.any(|it| route.view.with_overrides(&it.overrides).is_ok_and(|it| it.key() == view))
    };
    let routes = config.routes.iter().enumerate();
    let routes =
        routes.filter(|(index, route)| route.view.key() == view || is_wanted(*index, route));
    routes.map(|(_, route)| route).collect()
}

/// The paths of the routes with this view, separated by commas; `*` for every path.
pub(super) fn paths(config: &Config, wants: &[Want], view: &str) -> String {
    let mut paths: Vec<&str> = of(config, wants, view).into_iter().map(path).collect();
    paths.dedup();
    if paths.len() > MOST_PATHS {
        paths.truncate(MOST_PATHS);
        paths.push("…");
    }
    paths.join(",")
}

fn path(route: &Route) -> &str {
    route.path.as_deref().unwrap_or("*")
}

/// The routes whose forms nobody can use, as nothing tells their callers apart: path of the route and
/// name of the upstream.
pub(super) fn without_callers<'c>(
    config: &'c Config,
    wants: &[Want],
    (view, tools): (&str, &[Tool]),
) -> Vec<(&'c str, &'c str)> {
    let has_form = |upstream: &Upstream| {
        tools.iter().any(|tool| match &tool.plan {
            Plan::Editor(plan) => {
                plan.form.as_ref().is_some_and(|form| form.write.upstream == upstream.name)
            }
            Plan::Operation(_) => false,
        })
    };
    let silent = config.upstreams.iter();
    let silent = silent.filter(|it| it.identifying_headers().next().is_none() && has_form(it));
    let silent: Vec<_> = silent.collect();
    let anonymous = of(config, wants, view).into_iter().filter(|route| route.identity.is_none());
    anonymous.flat_map(|route| silent.iter().map(|it| (path(route), it.name.as_str()))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tool::EditorPlan;

    fn config(routes: &str, upstream: &str) -> Config {
        let text = format!(
            "{{upstreams: [{{name: api, cluster: c, document: {{path: /d}}{upstream}}}], routes: [{routes}]}}"
        );
        Config::parse(text.as_bytes()).unwrap()
    }

    /// A tool with the form of an upstream.
    fn form(upstream: &str) -> Tool {
        let operation = json!({
            "upstream": upstream, "pointer": "", "method": "PUT", "basePath": "", "path": "/",
            "parameters": [], "response": {},
        });
        let form = json!({
            "title": "", "prefix": "", "locale": "en", "baseUrl": "", "identifiers": [],
            "schema": {"declared": {"version": "", "schema": {}}}, "write": operation,
        });
        let form = Some(serde_json::from_value(form).unwrap());
        let plan = EditorPlan { verb: "getData".to_owned(), holder: String::new(), form };
        Tool {
            name: "t".to_owned(),
            title: None,
            description: String::new(),
            input_schema: json!({}),
            exact_schema: None,
            output_schema: None,
            annotations: serde_json::Map::new(),
            examples: Vec::new(),
            param_headers: serde_json::Map::new(),
            plan: Plan::Editor(Box::new(plan)),
        }
    }

    #[test]
    fn a_view_is_named_by_the_paths_of_its_routes() {
        let config = config("{path: /a}, {path: /b, locale: fr}, {path: /c}, {}", "");
        let want = Want { route: 1, overrides: vec![("locale".to_owned(), b"en".to_vec())] };
        let named =
            |wants: &[Want], route: usize| paths(&config, wants, &config.routes[route].view.key());
        assert_eq!(named(&[], 0), "/a,/c,*");
        assert_eq!(named(&[], 1), "/b");
        assert_eq!(named(&[want], 0), "/a,/b,/c,*");
        assert_eq!(paths(&config, &[], "none"), "");
    }

    #[test]
    fn forms_need_something_that_tells_callers_apart() {
        let cases = [
            ("", "", true),
            ("", ", forwardHeaders: [accept-language]", true),
            ("", ", forwardHeaders: [authorization]", false),
            (", identity: anonymous", "", false),
            (", identity: {header: x-user}", "", false),
        ];
        for (route, upstream, is_found) in cases {
            let config = config(&format!("{{path: /a{route}}}"), upstream);
            let view = config.routes[0].view.key();
            let found = |tools: &[Tool]| without_callers(&config, &[], (&view, tools));
            let expected = if is_found { vec![("/a", "api")] } else { Vec::new() };
            assert_eq!(found(&[form("api")]), expected, "{route} {upstream}");
            assert_eq!(found(&[form("other")]), []);
            assert_eq!(found(&[]), []);
        }
    }
}
