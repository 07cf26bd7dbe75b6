//! The records that `{{#get}}` returns, found with the query code of the Content API.

use std::{rc::Rc, slice, sync::Arc};

use super::{
    context::ModelContext,
    get_parameters::{self, GetError, of_shown, paging, selection},
    lists::{self, found_posts, post_values},
    parts::{PostParts, schema},
    records::{RecordParts, RecordView, ShownRecord},
    tier::listed_tier,
    tier_filter,
};
use crate::{
    catalog::{
        Catalog,
        browse::{self, Page, Query},
        fields::Schema,
        filter::Filterable,
        listing::{self, FilterRules, Pagination},
        order::Order,
        params::{Paging, QueryParameters, Selection},
        records::Records,
    },
    domain::{
        newsletter::Newsletter,
        post::{Post, PostKind},
        recommendation::Recommendation,
        role::Role,
        tag::Tag,
        tier::Tier,
        user::User,
    },
    error::Result,
    front_end::state::PageState,
    id::Id,
    nql::{self, Comparison, Expression, GroupUse, Predicate},
    templates::{PlainObject, Value},
};

/// A type of record that templates can get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GetResource {
    /// Posts.
    Posts,
    /// Pages.
    Pages,
    /// Tags.
    Tags,
    /// Authors.
    Authors,
    /// Tiers.
    Tiers,
    /// Newsletters.
    Newsletters,
    /// Recommendations, only for the helper `recommendations`.
    Recommendations,
}

impl GetResource {
    /// Returns the resource that `{{#get "name"}}` names.
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [
            Self::Posts,
            Self::Pages,
            Self::Tags,
            Self::Authors,
            Self::Tiers,
            Self::Newsletters,
        ];
        all.into_iter().find(|resource| resource.name() == name)
    }

    /// Returns the name of a list of these records in templates.
    pub fn name(self) -> &'static str {
        match self {
            Self::Posts => "posts",
            Self::Pages => "pages",
            Self::Tags => "tags",
            Self::Authors => "authors",
            Self::Tiers => "tiers",
            Self::Newsletters => "newsletters",
            Self::Recommendations => "recommendations",
        }
    }
}

/// The arguments of `{{#get}}` as strings, with paths in `{{…}}` resolved.
#[derive(Clone, Debug)]
pub struct GetRequest {
    /// The type of record.
    pub resource: GetResource,
    /// The names and values of the arguments that are not empty: `id`, `slug`, `filter`, `include`, `fields`, `formats`, `limit`,
    /// `page`, `order`. Others are ignored.
    pub arguments: Vec<(String, String)>,
    /// Whether the request is from `routes.yaml` and not from a template: then the tiers of the reader are known, and the number
    /// of records is not limited to a maximum (Ghost 6.65).
    pub is_of_route: bool,
}

/// The result of `{{#get}}`.
pub struct GetResult {
    /// The list of records.
    pub records: Value,
    /// `meta` of a list; `None` for a single record.
    pub meta: Option<Value>,
    /// `pagination` of a list; `None` for a single record.
    pub pagination: Option<Value>,
}

/// Returns the records that a template requests.
///
/// # Errors
///
/// If an argument is invalid, or no record has the requested `id` or `slug`.
pub fn get(state: &PageState, request: &GetRequest) -> Result<GetResult, GetError> {
    let resource = request.resource;
    let parameters = get_parameters::parameters(resource.name(), &request.arguments)?;
    let given = |name| parameters.first(name).filter(|value| !value.is_empty());
    let context = &state.model;
    match (given("id"), given("slug")) {
        // As in Ghost, `id` and `slug` turn a list into a single record.
        (None, None) => browse(context, request, &parameters),
        (id, slug) => read(context, resource, &parameters, id, slug),
    }
}

fn browse(
    context: &Rc<ModelContext>,
    request: &GetRequest,
    parameters: &QueryParameters,
) -> Result<GetResult, GetError> {
    let is_of_route = request.is_of_route;
    let used = match request.resource {
        GetResource::Posts | GetResource::Pages => GroupUse::ExtendedQuery,
        GetResource::Tiers => GroupUse::Test,
        _ => GroupUse::Query,
    };
    let paging = paging(parameters, used, is_of_route)?;
    let browse_posts =
        |kind, paging| browse_posts(context, kind, (parameters, paging), is_of_route);
    match request.resource {
        GetResource::Posts => browse_posts(PostKind::Post, paging),
        GetResource::Pages => browse_posts(PostKind::Page, paging),
        GetResource::Tags => {
            let page = |catalog: &Catalog, query: &Query<Tag>| Page {
                total: found_tags(catalog, query),
                ..browse::tags(catalog, query)
            };
            browse_records(context, (parameters, paging), page, Some(|tag| (0, tag.id)))
        }
        GetResource::Authors => {
            let position: StoredPosition<User> =
                |user| (u8::from(user.role != Role::Owner), user.id);
            browse_records(
                context,
                (parameters, paging),
                browse::authors,
                Some(position),
            )
        }
        GetResource::Newsletters => {
            browse_records::<Newsletter>(context, (parameters, paging), browse::newsletters, None)
        }
        GetResource::Recommendations => browse_records::<Recommendation>(
            context,
            (parameters, paging),
            browse::recommendations,
            None,
        ),
        GetResource::Tiers => browse_tiers(context, &paging),
    }
}

/// Returns the number of tags that match the filter. Like Ghost's pagination, it includes tags without posts, which lists omit
/// (6.65).
fn found_tags(catalog: &Catalog, query: &Query<Tag>) -> usize {
    let filter = query.filter.as_ref();
    let found = catalog
        .tags
        .iter()
        .filter(|tag| filter.is_none_or(|filter| filter.holds(tag)));
    found.count()
}

fn browse_posts(
    context: &Rc<ModelContext>,
    kind: PostKind,
    (parameters, mut paging): (&QueryParameters, Paging),
    is_of_route: bool,
) -> Result<GetResult, GetError> {
    let order = paging.order.as_deref();
    if order.is_some_and(|order| is_order_of_meta(kind, order)) {
        return Err(GetError::of_fields());
    }
    if is_order_of_unknown_fields(&paging, schema(kind), false) {
        paging.order = Some("updated_at asc".to_owned());
    }
    let excluded = match kind {
        PostKind::Post if !is_of_route => excluded_post(&mut paging),
        PostKind::Post | PostKind::Page => None,
    };
    let selection = selection(parameters)?;
    let mut parts = PostParts::selected(kind, &selection, None);
    // In Ghost, `{{#get}}` does not know the tiers of the reader, so posts for selected tiers are
    // gated in it.
    parts.knows_tiers &= is_of_route;
    let parts = Rc::new(parts);
    let mut found = found_posts(context, kind, &paging).map_err(GetError::of_filter)?;
    let mut meta = PlainObject::new();
    if let Some(id) = excluded {
        found.records.retain(|post| post.id.to_string() != id);
        found.records.truncate(paging.limit - 1);
        found.pagination.limit -= 1;
        meta.set("cacheabilityOptimisation", true);
    }
    let posts = post_values(context, &found.records, &parts);
    Ok(result(posts, &found.pagination, meta))
}

/// Returns whether an order contains a field that Ghost stores in a table other than that of posts, and thus cannot order by
/// (6.65, recorded). A field without a direction is ignored.
fn is_order_of_meta(kind: PostKind, order: &str) -> bool {
    const FIELDS: [&str; 11] = [
        "feature_image_alt",
        "feature_image_caption",
        "frontmatter",
        "meta_description",
        "meta_title",
        "og_description",
        "og_image",
        "og_title",
        "twitter_description",
        "twitter_image",
        "twitter_title",
    ];
    let order = order.to_lowercase();
    order.split(',').any(|part| {
        let mut words = part.split_whitespace();
        let field = words.next().unwrap_or_default();
        let field = field.strip_prefix("posts_meta.").unwrap_or(field);
        let is_of_mail = kind == PostKind::Post && field == "email_subject";
        words.next().is_some() && (is_of_mail || FIELDS.contains(&field))
    })
}

/// Returns the ID that a filter excludes with `id:-…`. Ghost then requests one more post and removes the excluded one from the
/// result, so its pagination counts that post too (Ghost 6.65).
fn excluded_post(paging: &mut Paging) -> Option<String> {
    let filter = paging.filter.as_deref()?;
    if filter.matches("id:-").count() != 1 {
        return None;
    }
    let expression = nql::parse(filter).ok()?;
    let conditions = match &expression {
        Expression::And(members) => members.as_slice(),
        Expression::Condition(_) => slice::from_ref(&expression),
        Expression::Or(_) => return None,
    };
    let id = conditions.iter().find_map(|condition| match condition {
        Expression::Condition(condition) if condition.node.field.node == "id" => {
            match &condition.node.predicate {
                Predicate::Compare {
                    operator: Comparison::NotEqual,
                    value,
                } => Some(match &value.node {
                    nql::Value::Word(id) | nql::Value::Text(id) => id.clone(),
                    nql::Value::Integer(id) => id.to_string(),
                    _ => return None,
                }),
                _ => None,
            }
        }
        _ => None,
    })?;
    let excluded = format!("id:-{id}");
    if id.len() == 24 && filter.contains(&excluded) {
        // Every post has an identifier, so this condition has no effect and the filter stays valid.
        paging.filter = Some(filter.replacen(&excluded, "id:-null", 1));
    }
    paging.limit = paging.limit.saturating_add(1);
    Some(id)
}

/// Returns the position of a record in the order of Ghost's database, which is the order of creation.
type StoredPosition<R> = fn(&R) -> (u8, Id);

fn browse_records<R: ShownRecord + Filterable>(
    context: &Rc<ModelContext>,
    (parameters, paging): (&QueryParameters, Paging),
    page: fn(&Catalog, &Query<R>) -> Page<R>,
    stored_position: Option<StoredPosition<R>>,
) -> Result<GetResult, GetError> {
    let selection = Selection::parse(parameters);
    let rules = FilterRules {
        with_post_count: selection.includes("count.posts"),
        ..FilterRules::of_fields(R::SCHEMA)
    };
    let catalog = context.catalog();
    let now = context.now_for(paging.filter.as_deref());
    let mut query = listing::query(catalog, now, &paging, &rules).map_err(GetError::of_filter)?;
    let is_as_stored = is_order_of_unknown_fields(&paging, R::SCHEMA, rules.with_post_count);
    let found = match stored_position.filter(|_| is_as_stored) {
        Some(position) => {
            // All records, because they are sorted and divided into pages here.
            (query.page, query.limit) = (1, Paging::ALL);
            let mut found = page(catalog, &query);
            found.records.sort_by_key(|record| position(record));
            let before = (paging.page - 1).saturating_mul(paging.limit);
            let records = found.records.into_iter().skip(before);
            Page {
                records: records.take(paging.limit).collect(),
                total: found.total,
            }
        }
        None => page(catalog, &query),
    };
    let shown = Selection::parse(&of_shown(parameters));
    let parts = Rc::new(RecordParts::selected(&shown, None));
    let records = found.records.iter();
    let records = records.map(|record| RecordView::value(context, record, &parts));
    let pagination = Pagination::new(paging.page, paging.limit, found.total);
    Ok(result(
        records.collect::<Vec<_>>().into(),
        &pagination,
        PlainObject::new(),
    ))
}

/// Returns whether an order is by fields that the records do not have, or by `count.posts` although it is not included. Ghost's
/// database then returns the records in stored order (6.65, recorded); without an order, records have the default order of their
/// type.
fn is_order_of_unknown_fields<R>(
    paging: &Paging,
    schema: &'static Schema<R>,
    with_post_count: bool,
) -> bool {
    let order = paging.order.as_deref();
    order.is_some_and(|order| Order::has_only_unknown_fields(order, schema, with_post_count))
}

/// Returns all active tiers that match the filter, regardless of the limit, including tiers that are not public (Ghost 6.65,
/// recorded).
fn browse_tiers(context: &Rc<ModelContext>, paging: &Paging) -> Result<GetResult, GetError> {
    let filter = paging.filter.as_deref().map(nql::parse).transpose();
    let filter = filter.map_err(|_| GetError::of_unreadable_filter(GroupUse::Test))?;
    let finds = |tier: &Tier| {
        let holds = |filter| tier_filter::holds(filter, tier);
        filter.as_ref().is_none_or(holds)
    };
    let tiers = context.catalog().tiers.iter();
    let mut tiers: Vec<&Arc<Tier>> = tiers.filter(|tier| tier.active && finds(tier)).collect();
    tiers.sort_by_key(|tier| tier.creation_order());
    let pagination = lists::pagination_of_tiers(tiers.len());
    let tiers = tiers.iter().map(|tier| listed_tier(context, tier).into());
    let tiers: Value = tiers.collect::<Vec<_>>().into();
    Ok(result_with(tiers, pagination, PlainObject::new()))
}

fn read(
    context: &Rc<ModelContext>,
    resource: GetResource,
    parameters: &QueryParameters,
    id: Option<&str>,
    slug: Option<&str>,
) -> Result<GetResult, GetError> {
    let catalog = context.catalog();
    let key = if id.is_some() { "id" } else { "slug" };
    let record = match resource {
        GetResource::Posts => read_post(context, PostKind::Post, parameters, id, slug)?,
        GetResource::Pages => read_post(context, PostKind::Page, parameters, id, slug)?,
        GetResource::Tags => {
            let tag = find(&catalog.tags, id, slug);
            let tag = tag.filter(|tag| catalog.tag_post_count(tag.id) > 0);
            tag.map(|tag| record_value(context, tag, parameters, key))
        }
        GetResource::Authors => {
            let author = find(&catalog.users, id, slug);
            let author = author.filter(|author| catalog.author_post_count(author.id) > 0);
            author.map(|author| record_value(context, author, parameters, key))
        }
        GetResource::Tiers | GetResource::Newsletters | GetResource::Recommendations => {
            // In Ghost, these records cannot be read individually; the message is Ghost's.
            return Err(GetError {
                message: "controller[action] is not a function".to_owned(),
            });
        }
    };
    match record {
        Some(record) => Ok(GetResult {
            records: vec![record].into(),
            meta: None,
            pagination: None,
        }),
        None => Err(GetError::of_missing(resource.name(), id, slug)),
    }
}

fn read_post(
    context: &Rc<ModelContext>,
    kind: PostKind,
    parameters: &QueryParameters,
    id: Option<&str>,
    slug: Option<&str>,
) -> Result<Option<Value>, GetError> {
    let posts = &context.catalog().posts;
    let found: Option<&Arc<Post>> = match (id, slug) {
        (Some(id), _) => id.parse().ok().and_then(|id| posts.get(id)),
        (None, Some(slug)) => posts.by_slug(slug),
        (None, None) => None,
    };
    let post = found.filter(|post| post.kind == kind && post.is_listed());
    let key = if id.is_some() { "id" } else { "slug" };
    let mut parts = PostParts::selected(kind, &selection(parameters)?, Some(key));
    parts.knows_tiers = false;
    let value =
        |post: &Arc<Post>| post_values(context, &[Arc::clone(post)], &Rc::new(parts)).get("0");
    Ok(post.map(value))
}

fn find<'c, R: ShownRecord>(
    records: &'c Records<R>,
    id: Option<&str>,
    slug: Option<&str>,
) -> Option<&'c Arc<R>> {
    match (id, slug) {
        (Some(id), _) => records.get(id.parse().ok()?),
        (None, slug) => records.by_slug(slug?),
    }
}

fn record_value<R: ShownRecord>(
    context: &Rc<ModelContext>,
    record: &Arc<R>,
    parameters: &QueryParameters,
    key: &str,
) -> Value {
    let selection = Selection::parse(&of_shown(parameters));
    let parts = Rc::new(RecordParts::selected(&selection, Some(key)));
    RecordView::value(context, record, &parts)
}

fn result(records: Value, pagination: &Pagination, meta: PlainObject) -> GetResult {
    result_with(records, lists::pagination_past_end(pagination), meta)
}

fn result_with(records: Value, pagination: Value, meta: PlainObject) -> GetResult {
    GetResult {
        records,
        meta: Some(meta.with("pagination", pagination.clone()).into()),
        pagination: Some(pagination),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excluded_post_is_got_and_left_out_afterwards() {
        let id = "65a1b2c3d4e5f60718293a4b";
        for (filter, expected, left) in [
            (format!("id:-{id}+tag:news"), Some(id), "id:-null+tag:news"),
            (format!("id:-{id}"), Some(id), "id:-null"),
            ("id:-1".to_owned(), Some("1"), "id:-1"),
            (format!("id:-{id},tag:news"), None, ""),
            (format!("id:-{id}+id:-{id}"), None, ""),
            ("tag:news".to_owned(), None, ""),
        ] {
            let mut paging = Paging {
                filter: Some(filter.clone()),
                order: None,
                page: 1,
                limit: 3,
            };
            let excluded = excluded_post(&mut paging);
            assert_eq!(excluded.as_deref(), expected, "{filter}");
            let left = expected.map_or(filter.as_str(), |_| left);
            assert_eq!(paging.filter.as_deref(), Some(left), "{filter}");
            assert_eq!(
                paging.limit,
                if expected.is_some() { 4 } else { 3 },
                "{filter}"
            );
        }
    }
}
