"""Query parameters that select records and fields (`fields`, `include`, `formats`, `filter` and `order`), generated from the
document."""

from random import Random

FORMATS = ["html", "plaintext", "lexical", "mobiledoc"]
# Names that are valid in filters of posts, but are not fields.
RELATIONS = ["tag", "tags", "author", "authors", "primary_tag", "primary_author", "tags.visibility", "authors.name"]
# Unknown names, and names that readers may not use in filters.
OTHERS = ["count.posts", "email", "password", "status", "type", "newsletter_id", "authors.email", "nosuch", "tags.nosuch"]
# Names that staff can include but the document does not list.
INCLUDED = ["tags", "authors", "tiers", "roles", "count.posts", "newsletter", "email", "labels", "count.members"]
OPERATORS = ["", "-", ">", ">=", "<", "<="]
TEXT_OPERATORS = ["~", "~^", "~$", "-~", "-~^", "-~$"]
WORDS = ["letters", "harbour", "null", "true", "false", "1", "-1", "now-30d", "now+1y", "draft", "published", "public"]
QUOTED = ["'2024-06-18'", "'2024/6/18 9:30'", "'2024-02-31'", "'2030-01-01 00:00:00'", "'Night ferry'", "'%'", "'_'", "'\\\\'", "'it\\'s'", "'\u00fc\U0001f600'", "' '"]


class Selections:
    """Generates query parameters for the operations of a document."""

    def __init__(self, document: dict, chance: Random) -> None:
        self.document = document
        self.chance = chance

    def of(self, path: str) -> dict[str, str]:
        """Returns parameters for the operation at this path, or none if it does not read records."""
        names = self.fields(path)
        if not names:
            return {}
        query = {}
        if self.coin():
            query["fields"] = ",".join(self.some([*names, "nosuch"]))
        if self.coin():
            query["include"] = ",".join(self.some(self.included(path)))
        if "html" in names and self.coin():
            query["formats"] = ",".join(self.some(FORMATS))
        if path.count("/") == 3:
            if self.coin():
                query["filter"] = self.filter([*names, *RELATIONS, *OTHERS], depth=2)
            if self.coin():
                order = [f"{name} {self.chance.choice(['asc', 'desc'])}" for name in self.some([*names, *OTHERS])]
                query["order"] = ",".join(order)
        return {name: value for name, value in query.items() if value}

    def coin(self) -> bool:
        """Returns true half of the time."""
        return self.chance.randrange(2) == 0

    def some(self, names: list[str]) -> list[str]:
        """Returns one to four of these names."""
        return self.chance.sample(names, min(len(names), self.chance.randint(1, 4)))

    def filter(self, names: list[str], depth: int) -> str:
        """Returns an NQL filter of joined conditions, some of them in parentheses."""
        parts = [self.condition(names) for _ in range(self.chance.randint(1, 3))]
        if depth and self.coin():
            parts.append(f"({self.filter(names, depth - 1)})")
        return self.chance.choice("+,").join(parts)

    def condition(self, names: list[str]) -> str:
        name = self.chance.choice(names)
        kind = self.chance.randrange(3)
        if kind == 0:
            return f"{name}:{self.chance.choice(TEXT_OPERATORS)}{self.chance.choice(QUOTED)}"
        if kind == 1:
            values = self.chance.choice(",+").join(self.some(WORDS[:2] + QUOTED))
            return f"{name}:{self.chance.choice(['', '-'])}[{values}]"
        return f"{name}:{self.chance.choice(OPERATORS)}{self.chance.choice(WORDS + QUOTED)}"

    def fields(self, path: str) -> list[str]:
        """Returns the names of the fields of the records in the response of this path."""
        resource = path.strip("/").split("/")[1]
        schema = self.response_schema(path)
        records = schema.get("properties", {}).get(resource, {})
        record = self.resolved(records.get("items", {}))
        return list(record.get("properties", {}))

    def included(self, path: str) -> list[str]:
        """Returns names that can be included in these records, and some that cannot."""
        parameters = self.document["paths"][path]["get"].get("parameters", [])
        for parameter in map(self.resolved, parameters):
            names = parameter.get("schema", {}).get("items", {}).get("enum")
            if parameter["name"] == "include" and names:
                return [*names, "nosuch"]
        return [*INCLUDED, "nosuch"]

    def response_schema(self, path: str) -> dict:
        responses = self.document["paths"][path].get("get", {}).get("responses", {})
        content = responses.get("200", {}).get("content", {})
        schema = content.get("application/json", {}).get("schema", {})
        return self.resolved(schema.get("anyOf", [schema])[0])

    def resolved(self, part: dict) -> dict:
        while "$ref" in part:
            part = self.document["components"][part["$ref"].split("/")[2]][part["$ref"].split("/")[3]]
        return part
