# Caesura as a service, installed from a folder of wheels: nothing is fetched while it is built.
#
#     pip wheel -w wheels ".[serve]"            # once, on a machine with the same system
#     docker build -t caesura .
#     docker run --rm -p 8765:8765 caesura
#
# docs/howto/serve.md says more. Only wheels/ is needed beside this file.

FROM python:3.12-slim AS build
COPY wheels/ /wheels/
RUN python3 -m venv /opt/caesura
RUN /opt/caesura/bin/pip install --no-cache-dir --no-index --find-links /wheels "caesura-nlp[serve]"
# Kernels are compiled once, here; a machine of another kind compiles its own at its first start.
ENV CAESURA_HOME=/opt/caesura/home
RUN echo "They left." | /opt/caesura/bin/caesura parse -m en --quiet -o /dev/null --to conllu

FROM python:3.12-slim
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin caesura
COPY --from=build --chown=10001:10001 /opt/caesura /opt/caesura
USER 10001
ENV CAESURA_HOME=/opt/caesura/home
ENV PATH=/opt/caesura/bin:/usr/local/bin:/usr/bin:/bin
EXPOSE 8765
HEALTHCHECK --interval=30s --timeout=3s --start-period=2m CMD ["python3", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8765/ready', timeout=2)"]
ENTRYPOINT ["caesura", "serve", "--host", "0.0.0.0", "--port", "8765"]
CMD ["-m", "en"]
