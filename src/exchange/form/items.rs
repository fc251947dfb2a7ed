//! Lists of suggestions: a `GET` to the API itself, with what the caller's other calls carry.

use std::borrow::Cow;

use serde_json::Value;
use url::{Position, Url};

use super::{FormCall, Waiting, words};
use crate::editor::tools::{self, ItemsRequest};
use crate::exchange::Step;
use crate::http::{UpstreamError, UpstreamRequest, UpstreamResponse, is_reserved_header};
use crate::json;
use crate::tool::OperationPlan;

impl FormCall {
    pub(super) fn fetch_items(self, wanted: &ItemsRequest) -> Step {
        match self.items_request(wanted) {
            Ok(request) => self.send(request, Waiting::Items(wanted.url.clone())),
            Err(text) => self.give_items(&wanted.url, Err(text)),
        }
    }

    /// The request for a list; only the API's own origin is asked.
    fn items_request(&self, wanted: &ItemsRequest) -> Result<UpstreamRequest, String> {
        let refused = || "the list is not one of this API, so it was not asked for".to_owned();
        let plan = self.plan().ok_or_else(refused)?;
        let url = Url::parse(&wanted.url).map_err(|_| refused())?;
        let base = Url::parse(&plan.base_url).map_err(|_| refused())?;
        let is_http = matches!(url.scheme(), "http" | "https");
        let is_own = url.origin() == base.origin()
            || self.context().authority.is_some_and(|own| own == url.authority());
        if !is_http || !is_own {
            return Err(refused());
        }
        let mut headers = vec![(Cow::Borrowed("accept"), Cow::Borrowed("application/json"))];
        let asked = wanted.headers.iter().filter(|(name, value)| {
            let is_token = name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
            is_token
                && !name.is_empty()
                && !is_reserved_header(name)
                && !value.chars().any(char::is_control)
        });
        headers.extend(asked.map(|(name, value)| (name.clone().into(), value.clone().into())));
        Ok(UpstreamRequest {
            upstream: plan.write.upstream.clone(),
            server: plan.write.server.clone(),
            method: Cow::Borrowed("GET"),
            path: url[Position::BeforePath..Position::AfterQuery].to_owned(),
            headers,
            body: None,
            timeout: None,
        })
    }

    pub(super) fn take_items(
        mut self,
        url: &str,
        outcome: Result<UpstreamResponse, UpstreamError>,
    ) -> Step {
        let Some(plan) = self.plan() else { return self.refuse(&words::GONE, "") };
        let plan = OperationPlan { method: "GET".to_owned(), body: None, ..plan.write.clone() };
        let answer = self.accept(&plan, outcome);
        let items = answer.and_then(|answer| {
            json::parse(&answer.body).map_err(|problem| format!("the list is no JSON: {problem}"))
        });
        self.give_items(url, items)
    }

    fn give_items(self, url: &str, items: Result<Value, String>) -> Step {
        let mut answer = None;
        let changed = self.change(&mut |form, stored, env| {
            let items = (url, items.clone());
            answer = Some(tools::fetched(form, &mut stored.session, &self.command, env, items));
            true
        });
        match (changed, answer) {
            (super::Changed::Done, Some(answer)) => self.answer(answer),
            (super::Changed::Refused(text), _) => self.fail(&text),
            _ => self.refuse(&words::GONE, ""),
        }
    }
}
